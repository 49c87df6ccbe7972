// SPDX-License-Identifier: MIT
//
// 5. How much gets done under a lock that many threads fight over, how long does each wait, and how evenly do they share?
//
// Threads take the lock, hold it for a while, do something of their own for a while, and begin anew. Waits are timed for
// a part of the turns only, so that looking at the clock does not become part of the hold. The threads are spread evenly
// over the processors. The floor is one thread that nobody disturbs: at best the others cost nothing.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <latch>
#include <limits>
#include <thread>
#include <vector>

#include "baselines/bare_lock.hpp"
#include "baselines/mutexes.hpp"
#include "harness/placement.hpp"
#include "harness/session.hpp"
#include "harness/work.hpp"

namespace {

using bench::Clock;
using bench::Kind;
using bench::Sample;

struct Contention {
    int threads;
    std::chrono::nanoseconds hold;
    std::chrono::nanoseconds think;
};

/// What one thread found, in cache lines that no other thread writes.
struct alignas(64) Account {
    std::uint64_t turns = 0;
    bench::Histogram waits;
};

template <class Mutex>
void fight(Mutex& mutex, const Contention& contention, const std::atomic<bool>& is_over, Account& account) {
    const bench::Work hold(contention.hold);
    const bench::Work think(contention.think);
    const std::uint64_t timed_one_in = contention.hold + contention.think < std::chrono::microseconds(1) ? 8 : 1;
    std::uint64_t turns = 0;
    for (; !is_over.load(std::memory_order_relaxed); ++turns) {
        if (turns % timed_one_in == 0) {
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
    account.turns = turns;
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
            // All on one processor, as a scheduler may well have them, they would hardly ever meet at the lock.
            const bench::Pinned here(number);
            start.arrive_and_wait();
            fight(mutex, contention, is_over, account);
        });
    start.arrive_and_wait();
    Sample sample = bench::time_of(1, [&] {
        std::this_thread::sleep_for(length);
        is_over = true;
        threads.clear();
    });

    bench::Histogram waits;
    std::uint64_t turns = 0;
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t most = 0;
    for (const Account& account : accounts) {
        turns += account.turns;
        least = std::min(least, account.turns);
        most = std::max(most, account.turns);
        waits.add(account.waits);
    }
    // If all goes well a thread's turn comes once in so many nanoseconds.
    const double interval = 50 + static_cast<double>(contention.think.count()) +
                            static_cast<double>(contention.hold.count()) * contention.threads;
    sample.latencies["arrival"] = waits.with_those_who_came_meanwhile(interval);
    sample.latencies["wait"] = waits;
    for (auto& [name, value] : sample.values) value /= static_cast<double>(std::max<std::uint64_t>(turns, 1));
    sample.values["turns_a_second"] = 1e9 / sample.values["ns"];
    sample.values["share"] = static_cast<double>(most) / static_cast<double>(std::max<std::uint64_t>(least, 1));
    return sample;
}

/// What it costs that the lock's cache line goes to another processor and comes back.
Sample round_trip_of_a_line(std::uint64_t turns) {
    alignas(64) std::atomic<int> ball{0};
    const auto play = [&](int mine, int other) {
        for (std::uint64_t i = 0; i < turns; ++i) {
            for (int looks = 0; ball.load(std::memory_order_acquire) != mine; ++looks)
                if (looks > 10'000) std::this_thread::yield();  // there may be but one processor
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
    return bench::time_of(static_cast<double>(turns), [&] {
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
                [=] { return round_trip_of_a_line(round_trips); });
    for (const auto think : session.pick<std::vector<std::chrono::nanoseconds>>({0ns}, {0ns}, {0ns, 1'000ns})) {
        const char* measure = think == 0ns ? "turns under one lock" : "turns under one lock, with 1 µs between";
        for (const auto hold : {0ns, 100ns, 1'000ns})
            for (const int threads : session.pick<std::vector<int>>({2, 4}, {2, 4, 8, 16}, {2, 4, 8, 16})) {
                const bench::Point at{{"hold_ns", static_cast<double>(hold.count())},
                                      {"threads", static_cast<double>(threads)}};
                if (think == 0ns)  // with work of their own, several get more done than one
                    session.add({measure, "one thread alone", Kind::floor, at}, [=] {
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
