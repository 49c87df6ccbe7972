// SPDX-License-Identifier: MIT
//
// 10. What does it cost to notify all waiters of a word: asynchronous waiters, loops, threads?
//
// Two times of each: the call alone, and until the last waiter has resumed.

#include <atomic>
#include <cstdint>
#include <deque>
#include <optional>
#include <thread>
#include <vector>

#include <asio.hpp>
#include <futon/futon.hpp>

#include "harness/session.hpp"
#include "harness/work.hpp"
#include "peers/asio_lock.hpp"
#include "peers/words.hpp"

namespace {

using bench::Clock;
using bench::Kind;
using bench::Sample;
using futon::Word;

/// "ns" for the whole, and "call_ns" for the notify, per waiter.
template <class Notify, class Finish>
Sample time_of_both(std::size_t size, Notify&& notify, Finish&& finish) {
    double call = 0;
    Sample sample = bench::time_of(static_cast<double>(size), [&] {
        const Clock::time_point begin = Clock::now();
        notify();
        call = bench::nanoseconds(Clock::now() - begin);
        finish();
    });
    sample.values["call_ns"] = call / static_cast<double>(size);
    return sample;
}

class Waiter final : public futon::core::AsyncWaiter {
public:
    using AsyncWaiter::AsyncWaiter;

private:
    void on_complete(futon::WaitResult) noexcept override {}
};

Sample waiters(std::size_t size) {
    futon::EventLoop loop;
    std::uint32_t word = 0;
    std::deque<Waiter> all;
    for (std::size_t i = 0; i < size; ++i) all.emplace_back(loop).enqueue(Word<std::uint32_t>(word).equals(0));
    return time_of_both(
        size, [&] { futon::notify(Word<std::uint32_t>(word)); }, [&] { loop.run(); });
}

Sample promises(std::size_t size) {
    futon::EventLoop loop;
    std::uint32_t word = 0;
    std::vector<std::optional<futon::Promise<futon::WaitResult>>> all(size);
    for (auto& promise : all) promise.emplace(futon::wait_async(Word<std::uint32_t>(word), 0).promise());
    return time_of_both(
        size, [&] { futon::notify(Word<std::uint32_t>(word)); }, [&] { loop.run(); });
}

futon::Promise<void> await(std::uint32_t& word, std::size_t& resumed) {
    co_await futon::wait_async(Word<std::uint32_t>(word), 0);
    ++resumed;
}

Sample coroutines(std::size_t size) {
    futon::EventLoop loop;
    std::uint32_t word = 0;
    std::size_t resumed = 0;
    for (std::size_t i = 0; i < size; ++i) await(word, resumed);
    return time_of_both(
        size, [&] { futon::notify(Word<std::uint32_t>(word)); }, [&] { loop.run(); });
}

Sample asio_channel(std::size_t size) {
    asio::io_context context(1);
    bench::AsioChannel channel(context.get_executor());
    std::size_t received = 0;
    for (std::size_t i = 0; i < size; ++i) channel.async_receive([&](asio::error_code, char) { ++received; });
    return time_of_both(
        size,
        [&] {
            for (std::size_t i = 0; i < size; ++i) channel.try_send(asio::error_code(), char{});
        },
        [&] { context.run(); });
}

/// One waiter on each of many loops of this thread.
Sample loops(std::size_t size) {
    std::deque<futon::EventLoop> all;
    std::deque<Waiter> waiting;
    std::uint32_t word = 0;
    for (std::size_t i = 0; i < size; ++i)
        waiting.emplace_back(all.emplace_back()).enqueue(Word<std::uint32_t>(word).equals(0));
    Sample sample = time_of_both(
        size, [&] { futon::notify(Word<std::uint32_t>(word)); },
        [&] {
            for (futon::EventLoop& loop : all) loop.poll();
        });
    while (!all.empty()) all.pop_back();  // agents of one thread are destroyed in reverse order
    return sample;
}

template <class Word>
Sample threads(std::size_t size) {
    Word word;
    std::atomic<std::size_t> started{0};
    std::atomic<std::size_t> woken{0};
    std::vector<std::jthread> all;
    for (std::size_t i = 0; i < size; ++i)
        all.emplace_back([&] {
            ++started;
            word.wait_while(0);
            ++woken;
        });
    while (started < size) std::this_thread::yield();
    // A started thread is not blocked yet, and the peers offer no way to ask.
    std::this_thread::sleep_for(std::chrono::milliseconds(2 + size / 20));
    return time_of_both(
        size,
        [&] {
            word.set(1);
            word.notify_all();
        },
        [&] {
            while (woken < size) std::this_thread::yield();
        });
}

}  // namespace

int main(int argc, char** argv) {
    bench::Session session(argc, argv, "10_notify_all");
    for (const std::size_t size : session.powers_of_ten(1, 4, 5, 6)) {
        const bench::Point at{{"waiters", static_cast<double>(size)}};
        const char* measure = "notify all asynchronous waiters";
        session.add({measure, "futon, AsyncWaiter", Kind::ours, at}, [=] { return waiters(size); });
        session.add({measure, "futon, promises", Kind::ours, at}, [=] { return promises(size); });
        session.add({measure, "futon, coroutines", Kind::ours, at}, [=] { return coroutines(size); });
        session.add({measure, "asio channel", Kind::peer, at}, [=] { return asio_channel(size); });
    }
    session.run(session.pick(2u, 7u, 9u));

    for (const std::size_t size : session.powers_of_ten(0, 2, 3, 4))
        session.add(
            {"notify one waiter on each of many loops", "futon", Kind::ours, {{"loops", static_cast<double>(size)}}},
            [=] { return loops(size); });
    session.run(session.pick(2u, 7u, 15u));

    for (const std::size_t size : session.pick<std::vector<std::size_t>>({1, 8}, {1, 8, 64}, {1, 8, 64, 512}))
        bench::for_each_word([&]<class Word>(const char* name, Kind kind) {
            session.add({"notify all threads", name, kind, {{"threads", static_cast<double>(size)}}},
                        [=] { return threads<Word>(size); });
        });
    session.run(session.pick(2u, 11u, 31u));
    return session.finish();
}
