// SPDX-License-Identifier: MIT
//
// 6. Do threads and coroutines get fair shares of one lock?
//
// Threads and the coroutines of one event loop acquire the same lock, as fast as they can. With a strict lock each has
// as many acquisitions as any other, whatever its kind. The default lock lets running threads barge in, and bounds the
// wait of a coroutine instead, but for the time in which who has the lock, or is given it, has no processor: as many threads
// without a lock show how long that may be. The peer is an Asio channel with one token in it, which threads receive by a future:
// among Debian's packages the only lock for both.
//
// An inversion is an acquisition by a waiter that was enqueued after another waiter that is still queued. Inversions
// are counted where the order of the queue is known: all waiters are enqueued one by one, threads and coroutines
// alternately, before the first acquisition.

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

#include "harness/session.hpp"
#include "harness/strict_lock.hpp"
#include "harness/work.hpp"
#include "peers/asio_lock.hpp"

namespace {

using bench::Clock;
using bench::Kind;
using bench::Sample;

struct Mixture {
    int threads;
    int coroutines;
    std::chrono::nanoseconds hold;
};

/// Acquisitions of a lock, by kind. Written under the lock.
struct Acquisitions {
    std::uint64_t of_threads = 0;
    std::uint64_t of_coroutines = 0;
    bench::Histogram waits;
    double longest_of_coroutines = 0;

    void add_thread(Clock::time_point requested) {
        ++of_threads;
        add_wait(bench::nanoseconds(Clock::now() - requested));
    }

    void add_coroutine(Clock::time_point requested) {
        const double wait = bench::nanoseconds(Clock::now() - requested);
        ++of_coroutines;
        longest_of_coroutines = std::max(longest_of_coroutines, wait);
        add_wait(wait);
    }

private:
    void add_wait(double wait) { waits.add(static_cast<std::uint64_t>(wait)); }
};

/// A lock with the interface of AsyncLock.
template <class Mutex>
struct FutonLock {
    Mutex lock;

    void lock_in_thread(Acquisitions& acquisitions, const bench::Work& hold) {
        const Clock::time_point requested = Clock::now();
        lock.lock();
        acquisitions.add_thread(requested);
        hold();
        lock.unlock();
    }

    futon::Promise<void> lock_in_coroutine(Acquisitions& acquisitions, const bench::Work& hold,
                                           const std::atomic<bool>& is_over) {
        while (!is_over) {
            const Clock::time_point requested = Clock::now();
            const auto guard = co_await lock.scoped_lock_async();
            acquisitions.add_coroutine(requested);
            hold();
        }
    }

    void run_loop(int coroutines, Acquisitions& acquisitions, const bench::Work& hold, std::latch& start,
                  const std::atomic<bool>& is_over) {
        futon::EventLoop loop;
        start.arrive_and_wait();
        for (int i = 0; i < coroutines; ++i) lock_in_coroutine(acquisitions, hold, is_over);
        loop.run();
    }

    void end_loop() {}
};

struct AsioChannel {
    asio::io_context context{1};
    // A context that runs out of work stops for good.
    asio::executor_work_guard<asio::io_context::executor_type> work{context.get_executor()};
    bench::AsioLock lock{context};

    void lock_in_thread(Acquisitions& acquisitions, const bench::Work& hold) {
        const Clock::time_point requested = Clock::now();
        lock.lock_async(asio::use_future).get();
        acquisitions.add_thread(requested);
        hold();
        lock.unlock();
    }

    asio::awaitable<void> lock_in_coroutine(Acquisitions& acquisitions, const bench::Work& hold,
                                            const std::atomic<bool>& is_over) {
        while (!is_over) {
            const Clock::time_point requested = Clock::now();
            co_await lock.lock_async(asio::use_awaitable);
            acquisitions.add_coroutine(requested);
            hold();
            lock.unlock();
        }
    }

    void run_loop(int coroutines, Acquisitions& acquisitions, const bench::Work& hold, std::latch& start,
                  const std::atomic<bool>& is_over) {
        start.arrive_and_wait();
        for (int i = 0; i < coroutines; ++i)
            asio::co_spawn(context, lock_in_coroutine(acquisitions, hold, is_over), asio::detached);
        context.run();
    }

    void end_loop() { work.reset(); }
};

template <class Lock>
Sample mix(const Mixture& mixture, std::chrono::milliseconds length) {
    Lock lock;
    Acquisitions acquisitions;
    std::atomic<bool> is_over{false};
    const bench::Work hold(mixture.hold);
    std::latch start(mixture.threads + 2);
    // The loop outlives the threads, because the loop of Asio wakes them.
    std::jthread loop([&] { lock.run_loop(mixture.coroutines, acquisitions, hold, start, is_over); });
    std::vector<std::jthread> threads;
    for (int i = 0; i < mixture.threads; ++i)
        threads.emplace_back([&] {
            start.arrive_and_wait();
            while (!is_over) lock.lock_in_thread(acquisitions, hold);
        });
    start.arrive_and_wait();
    Sample sample = bench::time_of(1, [&] {
        std::this_thread::sleep_for(length);
        is_over = true;
        threads.clear();
        lock.end_loop();
        loop.join();
    });

    const auto all = static_cast<double>(acquisitions.of_threads + acquisitions.of_coroutines);
    const double contenders = mixture.threads + mixture.coroutines;
    for (auto& [name, value] : sample.values) value /= all;
    sample.values["acquisitions_per_second"] = 1e9 / sample.values["ns"];
    sample.values["threads_of_fair"] =
        static_cast<double>(acquisitions.of_threads) / all * contenders / mixture.threads;
    sample.values["coroutines_of_fair"] =
        static_cast<double>(acquisitions.of_coroutines) / all * contenders / mixture.coroutines;
    sample.values["longest_of_coroutines_ms"] = acquisitions.longest_of_coroutines / 1e6;
    sample.latencies["wait"] = acquisitions.waits;
    return sample;
}

/// The longest time for which one of so many threads, which only read the clock, did not run. A lock that is handed to such a thread,
/// or that it holds, waits as long.
Sample run_without_lock(int threads, std::chrono::milliseconds length) {
    std::atomic<bool> is_over{false};
    std::vector<double> longest(static_cast<std::size_t>(threads));
    std::latch start(threads + 1);
    std::vector<std::jthread> running;
    for (double& pause : longest)
        running.emplace_back([&] {
            start.arrive_and_wait();
            double most = 0;
            for (Clock::time_point last = Clock::now(); !is_over;) {
                const Clock::time_point now = Clock::now();
                most = std::max(most, bench::nanoseconds(now - last));
                last = now;
            }
            pause = most;
        });
    start.arrive_and_wait();
    std::this_thread::sleep_for(length);
    is_over = true;
    running.clear();
    Sample sample;
    sample.values = {{"longest_ms", *std::max_element(longest.begin(), longest.end()) / 1e6}};
    return sample;
}

void until_waiting(const void* word, std::size_t count) {
    while (futon::core::process_table().count(word) < count) std::this_thread::yield();
}

/// Enqueues threads and coroutines one by one, and counts those that acquire the lock before an earlier one.
template <class Mutex>
Sample acquire_from_known_queue(int pairs) {
    Mutex lock;
    futon::EventLoop loop;
    std::vector<int> order;  // under the lock
    const auto acquire = [&](int number) -> futon::Promise<void> {
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
        acquire(2 * i + 1);
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
    sample.values = {{"inversions", inversions}, {"acquisitions", static_cast<double>(order.size())}};
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
            session.add({"acquisitions by kind", "futon::AsyncLock", Kind::ours, at},
                        [=] { return mix<FutonLock<futon::AsyncLock>>(mixture, length); });
            session.add({"acquisitions by kind", "futon::AsyncLock, strict", Kind::ours, at},
                        [=] { return mix<FutonLock<bench::StrictLock>>(mixture, length); });
            session.add({"acquisitions by kind", "asio channel as a lock", Kind::peer, at},
                        [=] { return mix<AsioChannel>(mixture, length); });
        }
    for (const int threads : {2, 3, 5, 17})
        session.add({"threads that only run", "without a lock", Kind::floor, {{"threads", threads}}},
                    [=] { return run_without_lock(threads, length); });
    session.run(session.pick(1u, 3u, 5u));

    session.add({"queue of threads and coroutines", "futon::AsyncLock", Kind::ours},
                [] { return acquire_from_known_queue<futon::AsyncLock>(32); });
    session.add({"queue of threads and coroutines", "futon::AsyncLock, strict", Kind::ours},
                [] { return acquire_from_known_queue<bench::StrictLock>(32); });
    session.run(session.pick(1u, 3u, 11u));
    return session.finish();
}
