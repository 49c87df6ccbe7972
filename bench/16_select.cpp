// SPDX-License-Identifier: MIT
//
// 16. What does it cost to receive from the first of several channels that has an item?
//
// Ready: each of two channels holds an item at each select. Not ready: eight channels are empty, so the coroutine
// waits for all of them, until another coroutine of its loop sends to one, the next one each time; a step is one select and
// one send. Asio's counterpart is `||` of awaitables, which receives from all channels that are ready, and loses the
// items of all but one; its channels are those for one thread. The floor is a receive from one channel.

#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>

#include <asio.hpp>
#include <asio/experimental/awaitable_operators.hpp>
#include <asio/experimental/channel.hpp>
#include <futon/futon.hpp>
#include <futon/sync/channel.hpp>

#include "harness/session.hpp"
#include "harness/work.hpp"

namespace {

using bench::Kind;
using bench::Sample;
using futon::Word;

/// Arrays of channels, which cannot be moved.
template <std::size_t... i>
auto futon_channels(std::index_sequence<i...>) {
    return std::array<futon::Channel<int>, sizeof...(i)>{futon::Channel<int>((static_cast<void>(i), 1))...};
}

template <class Channel, std::size_t... i>
auto asio_channels(asio::io_context& context, std::index_sequence<i...>) {
    return std::array<Channel, sizeof...(i)>{Channel((static_cast<void>(i), context.get_executor()), 1)...};
}

template <class Channels>
auto select_receive(Channels& channels) {
    return [&]<std::size_t... i>(std::index_sequence<i...>) {
        return futon::select_async(channels[i].receiving()...);
    }
    (std::make_index_sequence<std::tuple_size_v<Channels>>());
}

template <class Channels>
asio::awaitable<void> receive_from_either(Channels& channels) {
    using namespace asio::experimental::awaitable_operators;
    co_await [&]<std::size_t... i>(std::index_sequence<i...>) {
        return (... || channels[i].async_receive(asio::use_awaitable));
    }
    (std::make_index_sequence<std::tuple_size_v<Channels>>());
}

bool send(futon::Channel<int>& channel, int value) {
    return static_cast<bool>(channel.try_send(value));
}

template <class Channel>
bool send(Channel& channel, int value) {
    return channel.try_send(asio::error_code(), value);
}

template <class Channels>
void refill(Channels& channels, int value) {
    for (auto& channel : channels) bench::keep(send(channel, value));
}

// Ready.

template <std::size_t count>
Sample futon_ready(int steps) {
    futon::EventLoop loop;
    auto channels = futon_channels(std::make_index_sequence<count>());
    const auto select_all = [&]() -> futon::Promise<void> {
        for (int step = 0; step < steps; ++step) {
            refill(channels, step);
            bench::keep(co_await select_receive(channels));
        }
    };
    return bench::time_of(steps, [&] { loop.run_until(select_all()); });
}

/// A thread without a loop.
template <std::size_t count>
Sample futon_ready_in_thread(int steps) {
    auto channels = futon_channels(std::make_index_sequence<count>());
    return bench::time_of(steps, [&] {
        for (int step = 0; step < steps; ++step) {
            refill(channels, step);
            [&]<std::size_t... i>(std::index_sequence<i...>) {
                bench::keep(futon::select(channels[i].receiving()...));
            }
            (std::make_index_sequence<count>());
        }
    });
}

Sample futon_receive(int steps) {
    futon::EventLoop loop;
    futon::Channel<int> channel(1);
    const auto receive_all = [&]() -> futon::Promise<void> {
        for (int step = 0; step < steps; ++step) {
            bench::keep(send(channel, step));
            bench::keep(co_await channel.receive_async());
        }
    };
    return bench::time_of(steps, [&] { loop.run_until(receive_all()); });
}

template <class Channel, std::size_t count>
Sample asio_ready(int steps) {
    asio::io_context context(1);
    auto channels = asio_channels<Channel>(context, std::make_index_sequence<count>());
    const auto select_all = [&]() -> asio::awaitable<void> {
        for (int step = 0; step < steps; ++step) {
            refill(channels, step);
            co_await receive_from_either(channels);
        }
    };
    return bench::time_of(steps, [&] {
        asio::co_spawn(context, select_all(), asio::detached);
        context.run();
    });
}

// Not ready: two coroutines, each with channels of its own. The first waits before it sends, the second sends before it
// waits, so no channel ever holds an item when its coroutine begins to wait.

template <class Channels>
futon::Promise<void> take_steps(Channels& own, Channels& other, int steps, bool is_first) {
    for (int step = 0; step < steps; ++step) {
        const std::size_t next = static_cast<std::size_t>(step) % own.size();
        if (!is_first) bench::keep(send(other[next], step));
        bench::keep(co_await select_receive(own));
        if (is_first) bench::keep(send(other[next], step));
    }
}

template <std::size_t count>
Sample futon_not_ready(int steps) {
    futon::EventLoop loop;
    auto first = futon_channels(std::make_index_sequence<count>());
    auto second = futon_channels(std::make_index_sequence<count>());
    return bench::time_of(2.0 * steps, [&] {
        auto one = take_steps(first, second, steps, true);
        auto other = take_steps(second, first, steps, false);
        loop.run_until(std::move(one));
        loop.run_until(std::move(other));
    });
}

template <class Channels>
asio::awaitable<void> take_asio_steps(Channels& own, Channels& other, int steps, bool is_first) {
    for (int step = 0; step < steps; ++step) {
        const std::size_t next = static_cast<std::size_t>(step) % own.size();
        if (!is_first) bench::keep(send(other[next], step));
        co_await receive_from_either(own);
        if (is_first) bench::keep(send(other[next], step));
    }
}

template <class Channel, std::size_t count>
Sample asio_not_ready(int steps) {
    asio::io_context context(1);
    auto first = asio_channels<Channel>(context, std::make_index_sequence<count>());
    auto second = asio_channels<Channel>(context, std::make_index_sequence<count>());
    return bench::time_of(2.0 * steps, [&] {
        asio::co_spawn(context, take_asio_steps(first, second, steps, true), asio::detached);
        asio::co_spawn(context, take_asio_steps(second, first, steps, false), asio::detached);
        context.run();
    });
}

template <std::size_t count>
futon::Promise<void> take_word_steps(std::array<std::uint32_t, count>& own, std::array<std::uint32_t, count>& other,
                                     int steps, bool is_first) {
    const auto wake = [&](int step) {
        const Word<std::uint32_t> word(other[static_cast<std::size_t>(step) % count]);
        word.fetch_add(1);
        futon::notify(word, 1);
    };
    for (int step = 0; step < steps; ++step) {
        if (!is_first) wake(step);
        co_await [&]<std::size_t... i>(std::index_sequence<i...>) {
            return futon::select_async(futon::waiting(Word<std::uint32_t>(own[i]), own[i])...);
        }
        (std::make_index_sequence<count>());
        if (is_first) wake(step);
    }
}

template <std::size_t count>
Sample words_not_ready(int steps) {
    futon::EventLoop loop;
    std::array<std::uint32_t, count> first{};
    std::array<std::uint32_t, count> second{};
    return bench::time_of(2.0 * steps, [&] {
        auto one = take_word_steps<count>(first, second, steps, true);
        auto other = take_word_steps<count>(second, first, steps, false);
        loop.run_until(std::move(one));
        loop.run_until(std::move(other));
    });
}

template <std::size_t count>
void add(bench::Session& session, int steps) {
    using Channel = asio::experimental::channel<asio::io_context::executor_type, void(asio::error_code, int)>;
    const bench::Point at{{"channels", count}};
    const char* const ready = "select of channels that are ready";
    session.add({ready, "one receive_async", Kind::floor, at}, [=] { return futon_receive(steps); });
    session.add({ready, "futon::select_async", Kind::ours, at}, [=] { return futon_ready<count>(steps); });
    session.add({ready, "futon::select", Kind::ours, at}, [=] { return futon_ready_in_thread<count>(steps); });
    session.add({ready, "asio ||", Kind::peer, at}, [=] { return asio_ready<Channel, count>(steps); });

    const char* const not_ready = "select of channels that are not ready";
    session.add({not_ready, "futon::select_async", Kind::ours, at}, [=] { return futon_not_ready<count>(steps); });
    session.add({not_ready, "futon::select_async of words", Kind::ours, at},
                [=] { return words_not_ready<count>(steps); });
    session.add({not_ready, "asio ||", Kind::peer, at}, [=] { return asio_not_ready<Channel, count>(steps); });
}

}  // namespace

int main(int argc, char** argv) {
    bench::Session session(argc, argv, "16_select");
    const int steps = session.pick(200, 3'000, 10'000);
    add<2>(session, steps);
    add<8>(session, steps);
    session.run(session.pick(2u, 21u, 51u));
    return session.finish();
}
