// SPDX-License-Identifier: MIT
//
// 7. What does it cost to wait without blocking, be notified, and resume?
//
// Two actors of one loop notify each other alternately: a step is one wait_async, one notify, and one resumption. With
// the allocation-free API an actor is a core::AsyncWaiter; with promises it is a coroutine, or a chain of `then`. The
// peers do the same with two Asio channels or with two fibers. The floor only posts, and waits for nothing.

#include <array>
#include <cstdint>

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/use_awaitable.hpp>
#include <boost/fiber/all.hpp>
#include <futon/futon.hpp>

#include "harness/session.hpp"
#include "harness/work.hpp"
#include "peers/asio_lock.hpp"

namespace {

using bench::Kind;
using bench::Sample;
using futon::Word;

/// The words of two actors: each waits on its own word, and increments the other's.
using Words = std::array<std::uint32_t, 2>;

void wake(std::uint32_t& cell) {
    futon::fetch_add_and_notify(Word<std::uint32_t>(cell), 1, 1);
}

class Actor final : public futon::core::AsyncWaiter {
public:
    Actor(futon::Executor& executor, std::uint32_t& own, std::uint32_t& other, int steps)
        : AsyncWaiter(executor), own_(own), other_(other), left_(steps) {}

    void wait() noexcept {
        const bool is_enqueued = enqueue(Word<std::uint32_t>(own_).equals(own_));
        bench::keep(is_enqueued);
    }

private:
    void on_complete(futon::WaitResult) noexcept override {
        if (left_-- == 0) return;
        wait();
        wake(other_);
    }

    std::uint32_t& own_;
    std::uint32_t& other_;
    int left_;
};

Sample async_waiters(int steps) {
    futon::EventLoop loop;
    Words words{};
    Actor ping(loop, words[0], words[1], steps);
    Actor pong(loop, words[1], words[0], steps);
    return bench::time_of(2.0 * steps, [&] {
        ping.wait();
        pong.wait();
        wake(words[0]);
        loop.run();
    });
}

futon::Promise<void> take_steps(std::uint32_t& own, std::uint32_t& other, int steps) {
    for (int i = 0; i < steps; ++i) {
        futon::WaitAsyncResult woken = futon::wait_async(Word<std::uint32_t>(own), own);
        wake(other);
        co_await woken;
    }
    wake(other);
}

Sample coroutines(int steps) {
    futon::EventLoop loop;
    Words words{};
    return bench::time_of(2.0 * steps, [&] {
        take_steps(words[0], words[1], steps);
        take_steps(words[1], words[0], steps);
        loop.run();
    });
}

class Chain {
public:
    Chain(std::uint32_t& own, std::uint32_t& other, int steps) : own_(own), other_(other), left_(steps) {}

    void wait() {
        futon::wait_async(Word<std::uint32_t>(own_), own_).promise().then([this](futon::WaitResult) {
            if (left_-- == 0) return wake(other_);
            wait();
            wake(other_);
        });
    }

private:
    std::uint32_t& own_;
    std::uint32_t& other_;
    int left_;
};

Sample chains(int steps) {
    futon::EventLoop loop;
    Words words{};
    Chain ping(words[0], words[1], steps);
    Chain pong(words[1], words[0], steps);
    return bench::time_of(2.0 * steps, [&] {
        ping.wait();
        pong.wait();
        wake(words[0]);
        loop.run();
    });
}

class AsioActor {
public:
    AsioActor(bench::AsioChannel& own, bench::AsioChannel& other, int steps) : own_(own), other_(other), left_(steps) {}

    void wait() {
        own_.async_receive([this](asio::error_code, char) {
            if (left_-- == 0) return;
            wait();
            other_.try_send(asio::error_code(), char{});
        });
    }

private:
    bench::AsioChannel& own_;
    bench::AsioChannel& other_;
    int left_;
};

Sample asio_callbacks(int steps) {
    asio::io_context context(1);
    bench::AsioChannel first(context.get_executor(), 1);
    bench::AsioChannel second(context.get_executor(), 1);
    AsioActor ping(first, second, steps);
    AsioActor pong(second, first, steps);
    return bench::time_of(2.0 * steps, [&] {
        ping.wait();
        pong.wait();
        first.try_send(asio::error_code(), char{});
        context.poll();
        first.cancel();
        second.cancel();
        context.poll();
    });
}

asio::awaitable<void> take_asio_steps(bench::AsioChannel& own, bench::AsioChannel& other, int steps) {
    for (int i = 0; i < steps; ++i) {
        other.try_send(asio::error_code(), char{});
        co_await own.async_receive(asio::use_awaitable);
    }
}

Sample asio_coroutines(int steps) {
    asio::io_context context(1);
    bench::AsioChannel first(context.get_executor(), 1);
    bench::AsioChannel second(context.get_executor(), 1);
    return bench::time_of(2.0 * steps, [&] {
        asio::co_spawn(context, take_asio_steps(first, second, steps), asio::detached);
        asio::co_spawn(context, take_asio_steps(second, first, steps), asio::detached);
        context.run();
    });
}

void take_fiber_steps(boost::fibers::buffered_channel<char>& own, boost::fibers::buffered_channel<char>& other,
                      int steps) {
    char signal{};
    for (int i = 0; i < steps; ++i) {
        other.push(signal);
        own.pop(signal);
    }
}

Sample fibers(int steps) {
    boost::fibers::buffered_channel<char> first(2);
    boost::fibers::buffered_channel<char> second(2);
    return bench::time_of(2.0 * steps, [&] {
        boost::fibers::fiber ping([&] { take_fiber_steps(first, second, steps); });
        boost::fibers::fiber pong([&] { take_fiber_steps(second, first, steps); });
        ping.join();
        pong.join();
    });
}

struct Repost {
    asio::io_context& context;
    int& left;

    void operator()() const {
        if (left-- > 0) asio::post(context, *this);
    }
};

Sample asio_post(int steps) {
    asio::io_context context(1);
    int left = 2 * steps;
    return bench::time_of(2.0 * steps, [&] {
        asio::post(context, Repost{context, left});
        context.run();
    });
}

}  // namespace

int main(int argc, char** argv) {
    bench::Session session(argc, argv, "07_wait_notify_resume");
    const int steps = session.pick(500, 10'000, 50'000);
    const char* measure = "wait_async + notify + resume";
    session.add({measure, "futon, AsyncWaiter", Kind::ours}, [=] { return async_waiters(steps); });
    session.add({measure, "futon, promise in a coroutine", Kind::ours}, [=] { return coroutines(steps); });
    session.add({measure, "futon, promise with then", Kind::ours}, [=] { return chains(steps); });
    session.add({measure, "asio channel, callbacks", Kind::peer}, [=] { return asio_callbacks(steps); });
    session.add({measure, "asio channel, coroutines", Kind::peer}, [=] { return asio_coroutines(steps); });
    session.add({measure, "boost::fibers channel", Kind::peer}, [=] { return fibers(steps); });
    session.add({measure, "asio::post alone", Kind::floor}, [=] { return asio_post(steps); });
    session.run(session.pick(3u, 31u, 101u));
    return session.finish();
}
