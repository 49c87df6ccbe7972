// SPDX-License-Identifier: MIT
//
// 6. Do threads and coroutines get their fair part of one lock?
//
// Threads and the coroutines of one event loop take turns under the same lock, as fast as they can. If it is fair, each
// has as many turns as any other, whatever its kind. The baseline is a channel of Asio with one token in it, which threads
// receive by a future: of what Debian has, the only lock that takes both.
//
// An inversion is a turn for one who came to the line later than another who is still there. It is counted where the
// order of the line is known: nobody tries before all the others stand in it, one behind the other, threads and
// coroutines by turns.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <latch>
#include <memory>
#include <thread>
#include <vector>

#include <asio/use_future.hpp>
#include <futon/futon.hpp>

#include "baselines/asio_lock.hpp"
#include "harness/session.hpp"
#include "harness/work.hpp"

namespace {

using bench::Clock;
using bench::Kind;
using bench::Sample;

struct Mixture {
    int threads;
    int coroutines;
    std::chrono::nanoseconds hold;
};

/// Turns under a lock, by kind. Written under the lock.
struct Turns {
    std::uint64_t of_threads = 0;
    std::uint64_t of_coroutines = 0;
    bench::Histogram waits;

    void add(std::uint64_t& kind, Clock::time_point asked) {
        ++kind;
        waits.add(static_cast<std::uint64_t>(bench::nanoseconds(Clock::now() - asked)));
    }
};

struct StrictLock : futon::AsyncLock {
    StrictLock() : AsyncLock(futon::Fairness::strict) {}
};

/// A lock with AsyncLock's doors.
template <class Mutex>
struct FutonLock {
    Mutex lock;

    void run_threads_turn(Turns& turns, const bench::Work& hold) {
        const Clock::time_point asked = Clock::now();
        lock.lock();
        turns.add(turns.of_threads, asked);
        hold();
        lock.unlock();
    }

    futon::Promise<void> take_turns(Turns& turns, const bench::Work& hold, const std::atomic<bool>& is_over) {
        while (!is_over) {
            const Clock::time_point asked = Clock::now();
            const auto guard = co_await lock.scoped_lock_async();
            turns.add(turns.of_coroutines, asked);
            hold();
        }
    }

    void run_loop(int coroutines, Turns& turns, const bench::Work& hold, std::latch& start,
                  const std::atomic<bool>& is_over) {
        futon::EventLoop loop;
        start.arrive_and_wait();
        for (int i = 0; i < coroutines; ++i) take_turns(turns, hold, is_over);
        loop.run();
    }

    void end_loop() {}
};

struct AsioChannel {
    asio::io_context context{1};
    // A context that has no work for a moment stops for good.
    asio::executor_work_guard<asio::io_context::executor_type> work{context.get_executor()};
    bench::AsioLock lock{context};

    void run_threads_turn(Turns& turns, const bench::Work& hold) {
        const Clock::time_point asked = Clock::now();
        lock.scoped_lock_async(asio::use_future).get();
        turns.add(turns.of_threads, asked);
        hold();
        lock.unlock();
    }

    asio::awaitable<void> take_turns(Turns& turns, const bench::Work& hold, const std::atomic<bool>& is_over) {
        while (!is_over) {
            const Clock::time_point asked = Clock::now();
            co_await lock.scoped_lock_async(asio::use_awaitable);
            turns.add(turns.of_coroutines, asked);
            hold();
            lock.unlock();
        }
    }

    void run_loop(int coroutines, Turns& turns, const bench::Work& hold, std::latch& start,
                  const std::atomic<bool>& is_over) {
        start.arrive_and_wait();
        for (int i = 0; i < coroutines; ++i) asio::co_spawn(context, take_turns(turns, hold, is_over), asio::detached);
        context.run();
    }

    void end_loop() { work.reset(); }
};

template <class Lock>
Sample mix(const Mixture& mixture, std::chrono::milliseconds length) {
    Lock lock;
    Turns turns;
    std::atomic<bool> is_over{false};
    const bench::Work hold(mixture.hold);
    std::latch start(mixture.threads + 2);
    // The loop outlives the threads: of some baselines it is the loop that wakes them.
    std::jthread loop([&] { lock.run_loop(mixture.coroutines, turns, hold, start, is_over); });
    std::vector<std::jthread> threads;
    for (int i = 0; i < mixture.threads; ++i)
        threads.emplace_back([&] {
            start.arrive_and_wait();
            while (!is_over) lock.run_threads_turn(turns, hold);
        });
    start.arrive_and_wait();
    Sample sample = bench::time_of(1, [&] {
        std::this_thread::sleep_for(length);
        is_over = true;
        threads.clear();
        lock.end_loop();
        loop.join();
    });

    const auto all = static_cast<double>(turns.of_threads + turns.of_coroutines);
    const double parties = mixture.threads + mixture.coroutines;
    for (auto& [name, value] : sample.values) value /= all;
    sample.values["turns_a_second"] = 1e9 / sample.values["ns"];
    sample.values["threads_of_fair"] = static_cast<double>(turns.of_threads) / all * parties / mixture.threads;
    sample.values["coroutines_of_fair"] = static_cast<double>(turns.of_coroutines) / all * parties / mixture.coroutines;
    sample.latencies["wait"] = turns.waits;
    return sample;
}

void until_waiting(const void* word, std::size_t count) {
    while (futon::core::process_table().count(word) < count) std::this_thread::yield();
}

/// Lines up threads and coroutines, one behind the other, and counts who has the lock before an earlier one.
template <class Mutex>
Sample line_up(int pairs) {
    Mutex lock;
    futon::EventLoop loop;
    std::vector<int> order;  // under the lock
    const auto take_turn = [&](int number) -> futon::Promise<void> {
        const auto guard = co_await lock.scoped_lock_async();
        order.push_back(number);
    };

    std::vector<std::jthread> threads;
    const bool is_first = lock.try_lock();
    bench::keep(is_first);
    for (int i = 0; i < pairs; ++i) {
        threads.emplace_back([&, i] {
            lock.lock();
            order.push_back(2 * i);
            lock.unlock();
        });
        until_waiting(&lock, static_cast<std::size_t>(2 * i + 1));
        take_turn(2 * i + 1);
        until_waiting(&lock, static_cast<std::size_t>(2 * i + 2));
    }
    lock.unlock();
    loop.run();
    threads.clear();

    double inversions = 0;
    int latest = -1;
    for (const int number : order) {
        if (number < latest) ++inversions;
        latest = std::max(latest, number);
    }
    Sample sample;
    sample.values = {{"inversions", inversions}, {"turns", static_cast<double>(order.size())}};
    return sample;
}

}  // namespace

int main(int argc, char** argv) {
    using namespace std::chrono_literals;
    bench::Session session(argc, argv, "06_threads_and_coroutines");
    const auto length = session.pick(10ms, 60ms, 300ms);
    for (const auto hold : {1'000ns, 10'000ns, 100'000ns})
        for (const auto& [threads, coroutines] : std::vector<std::pair<int, int>>{{1, 1}, {4, 4}, {2, 16}, {16, 2}}) {
            const bench::Point at{
                {"hold_ns", static_cast<double>(hold.count())}, {"threads", threads}, {"coroutines", coroutines}};
            const Mixture mixture{threads, coroutines, hold};
            session.add({"turns of each kind", "futon::AsyncLock", Kind::ours, at},
                        [=] { return mix<FutonLock<futon::AsyncLock>>(mixture, length); });
            session.add({"turns of each kind", "futon::AsyncLock, strict", Kind::ours, at},
                        [=] { return mix<FutonLock<StrictLock>>(mixture, length); });
            session.add({"turns of each kind", "asio channel as a lock", Kind::baseline, at},
                        [=] { return mix<AsioChannel>(mixture, length); });
        }
    session.run(session.pick(1u, 3u, 5u));

    session.add({"a line of threads and coroutines", "futon::AsyncLock", Kind::ours},
                [] { return line_up<futon::AsyncLock>(32); });
    session.add({"a line of threads and coroutines", "futon::AsyncLock, strict", Kind::ours},
                [] { return line_up<StrictLock>(32); });
    session.run(session.pick(1u, 3u, 11u));
    return session.finish();
}
