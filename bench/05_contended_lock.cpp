// SPDX-License-Identifier: MIT
//
// 5. What are the throughput, the waits and the fairness of a contended lock?
//
// With few threads here, with many in 05_many_threads. Only some acquisitions are timed, so that reading the clock does
// not lengthen the others. The threads are spread evenly over the processors: on one processor, where the scheduler
// might put them all, they would hardly ever contend. The floor is one thread without contention: at best the other
// threads cost nothing.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <latch>
#include <thread>
#include <vector>

#include "floors/bare_lock.hpp"
#include "harness/contention.hpp"
#include "harness/placement.hpp"
#include "harness/session.hpp"
#include "peers/mutexes.hpp"

namespace {

using bench::Kind;
using bench::Sample;

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
                const std::uint64_t timed_one_in = hold + think < 1'000ns ? 8 : 1;
                if (think == 0ns)  // with other work in between, several threads achieve more than one
                    session.add({measure, "one thread, uncontended", Kind::floor, at}, [=] {
                        return bench::contend<bench::BareLock>({1, hold, think, timed_one_in, true}, length / 4);
                    });
                bench::for_each_mutex([&]<class Mutex>(const char* name, Kind kind) {
                    session.add({measure, name, kind, at}, [=] {
                        return bench::contend<Mutex>({threads, hold, think, timed_one_in, true}, length);
                    });
                });
            }
    }
    session.run(session.pick(1u, 3u, 5u));
    return session.finish();
}
