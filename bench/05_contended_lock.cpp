// SPDX-License-Identifier: MIT
//
// 5. What are the throughput, the waits and the fairness of a contended lock?
//
// Threads acquire the lock, hold it for a while, do other work for a while, and repeat. Only some acquisitions are
// timed, so that reading the clock does not lengthen the others. The threads are spread evenly over the processors. The
// floor is one thread without contention: at best the other threads cost nothing.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <latch>
#include <limits>
#include <thread>
#include <vector>

#include "floors/bare_lock.hpp"
#include "harness/placement.hpp"
#include "harness/session.hpp"
#include "harness/work.hpp"
#include "peers/mutexes.hpp"

namespace {

using bench::Clock;
using bench::Kind;
using bench::Sample;

struct Contention {
    int threads;
    std::chrono::nanoseconds hold;
    std::chrono::nanoseconds think;
};

/// What one thread measured, in cache lines that no other thread writes.
struct alignas(64) Account {
    std::uint64_t acquisitions = 0;
    bench::Histogram waits;
};

template <class Mutex>
void acquire_repeatedly(Mutex& mutex, const Contention& contention, const std::atomic<bool>& is_over,
                        Account& account) {
    const bench::Work hold(contention.hold);
    const bench::Work think(contention.think);
    const std::uint64_t timed_one_in = contention.hold + contention.think < std::chrono::microseconds(1) ? 8 : 1;
    std::uint64_t acquisitions = 0;
    for (; !is_over.load(std::memory_order_relaxed); ++acquisitions) {
        if (acquisitions % timed_one_in == 0) {
            const Clock::time_point begin = Clock::now();
            mutex.lock();
            account.waits.add(static_cast<std::uint64_t>(bench::nanoseconds(Clock::now() - begin)));
        } else {
            mutex.lock();
        }
        hold();
        mutex.unlock();
        think();
    }
    account.acquisitions = acquisitions;
}

template <class Mutex>
Sample contend(const Contention& contention, std::chrono::milliseconds length) {
    alignas(64) Mutex mutex;
    std::atomic<bool> is_over{false};
    std::vector<Account> accounts(static_cast<std::size_t>(contention.threads));
    std::latch start(contention.threads + 1);
    std::vector<std::jthread> threads;
    for (Account& account : accounts)
        threads.emplace_back([&, number = threads.size()] {
            // On one processor, where the scheduler might put them all, they would hardly ever contend.
            const bench::Pinned here(number);
            start.arrive_and_wait();
            acquire_repeatedly(mutex, contention, is_over, account);
        });
    start.arrive_and_wait();
    Sample sample = bench::time_of(1, [&] {
        std::this_thread::sleep_for(length);
        is_over = true;
        threads.clear();
    });

    bench::Histogram waits;
    std::uint64_t acquisitions = 0;
    std::uint64_t fewest = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t most = 0;
    for (const Account& account : accounts) {
        acquisitions += account.acquisitions;
        fewest = std::min(fewest, account.acquisitions);
        most = std::max(most, account.acquisitions);
        waits.add(account.waits);
    }
    // Without delays a thread would acquire the lock once in so many nanoseconds.
    const double interval = 50 + static_cast<double>(contention.think.count()) +
                            static_cast<double>(contention.hold.count()) * contention.threads;
    sample.latencies["corrected wait"] = waits.corrected_for_coordinated_omission(interval);
    sample.latencies["wait"] = waits;
    for (auto& [name, value] : sample.values) value /= static_cast<double>(std::max<std::uint64_t>(acquisitions, 1));
    sample.values["acquisitions_per_second"] = 1e9 / sample.values["ns"];
    sample.values["imbalance"] = static_cast<double>(most) / static_cast<double>(std::max<std::uint64_t>(fewest, 1));
    return sample;
}

/// How long the lock's cache line takes to another processor and back.
Sample cache_line_round_trip(std::uint64_t round_trips) {
    alignas(64) std::atomic<int> ball{0};
    const auto play = [&](int mine, int other) {
        for (std::uint64_t i = 0; i < round_trips; ++i) {
            for (int polls = 0; ball.load(std::memory_order_acquire) != mine; ++polls)
                if (polls > 10'000) std::this_thread::yield();  // there may be only one processor
            ball.store(other, std::memory_order_release);
        }
    };
    std::latch start(2);
    std::jthread partner([&] {
        const bench::Pinned here(1);
        start.arrive_and_wait();
        play(1, 0);
    });
    const bench::Pinned here(0);
    start.arrive_and_wait();
    return bench::time_of(static_cast<double>(round_trips), [&] {
        play(0, 1);
        partner.join();
    });
}

}  // namespace

int main(int argc, char** argv) {
    using namespace std::chrono_literals;
    bench::Session session(argc, argv, "05_contended_lock");
    const auto length = session.pick(5ms, 60ms, 300ms);
    const std::uint64_t round_trips = session.pick(1'000u, 20'000u, 100'000u);
    session.add({"round trip of a cache line", "two processors", Kind::floor, {}},
                [=] { return cache_line_round_trip(round_trips); });
    for (const auto think : session.pick<std::vector<std::chrono::nanoseconds>>({0ns}, {0ns}, {0ns, 1'000ns})) {
        const char* measure = think == 0ns ? "contended lock" : "contended lock, 1 µs of other work";
        for (const auto hold : {0ns, 100ns, 1'000ns})
            for (const int threads : session.pick<std::vector<int>>({2, 4}, {2, 4, 8, 16}, {2, 4, 8, 16})) {
                const bench::Point at{{"hold_ns", static_cast<double>(hold.count())},
                                      {"threads", static_cast<double>(threads)}};
                if (think == 0ns)  // with other work in between, several threads achieve more than one
                    session.add({measure, "one thread, uncontended", Kind::floor, at}, [=] {
                        return contend<bench::BareLock>({1, hold, think}, length / 4);
                    });
                bench::for_each_mutex([&]<class Mutex>(const char* name, Kind kind) {
                    session.add({measure, name, kind, at}, [=] {
                        return contend<Mutex>({threads, hold, think}, length);
                    });
                });
            }
    }
    session.run(session.pick(1u, 3u, 5u));
    return session.finish();
}
