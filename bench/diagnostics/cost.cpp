// SPDX-License-Identifier: MIT
//
// What do the diagnostics cost? This program is linked with futon::futon and with futon::diagnostics; each run measures one mode:
// plain, or with the diagnostics sampled, waits, everything or trace. Prints nanoseconds for each operation: the median of rounds.
// With a measure's name and a number it does so many operations of it once, for a tool that counts instructions.
//
// bench/diagnostics/run runs them in turn, so that a disturbance of the machine hits all of them.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <latch>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <futon/diagnostics.hpp>
#include <futon/futon.hpp>

namespace {

namespace diagnostics = futon::diagnostics;
using Clock = std::chrono::steady_clock;

template <class Function>
double nanoseconds_of(std::uint64_t operations, Function function) {
    const Clock::time_point begin = Clock::now();
    function();
    return std::chrono::duration<double, std::nano>(Clock::now() - begin).count() / static_cast<double>(operations);
}

double free_lock(std::uint64_t operations) {
    futon::AsyncLock lock;
    return nanoseconds_of(operations, [&] {
        for (std::uint64_t i = 0; i < operations; ++i) {
            lock.lock();
            lock.unlock();
        }
    });
}

/// Some tenth of a microsecond.
void work() {
    for (int i = 0; i < 300; ++i) std::atomic_signal_fence(std::memory_order_seq_cst);
}

/// Each thread holds the lock for no time, or while it works, and locks it again at once.
template <bool has_work>
double contended_lock(std::uint64_t operations, std::uint64_t threads) {
    futon::AsyncLock lock;
    std::latch start(static_cast<std::ptrdiff_t>(threads) + 1);
    std::vector<std::jthread> running;
    for (std::uint64_t i = 0; i < threads; ++i)
        running.emplace_back([&] {
            start.arrive_and_wait();
            for (std::uint64_t n = 0; n < operations / threads; ++n) {
                lock.lock();
                if constexpr (has_work) work();
                lock.unlock();
            }
        });
    start.arrive_and_wait();
    return nanoseconds_of(operations, [&] { running.clear(); });
}

double lock_on_a_loop(std::uint64_t operations) {
    futon::EventLoop loop;
    futon::AsyncLock lock;
    const auto run = [&]() -> futon::Promise<void> {
        for (std::uint64_t i = 0; i < operations; ++i) {
            const auto guard = co_await lock.scoped_lock_async();
        }
    };
    return nanoseconds_of(operations, [&] { loop.run_until(run()); });
}

/// Two coroutines of one loop, of which each keeps the lock until the other waits for it.
double lock_in_turns(std::uint64_t operations) {
    futon::EventLoop loop;
    futon::AsyncLock lock;
    const auto run = [&]() -> futon::Promise<void> {
        for (std::uint64_t i = 0; i < operations / 2; ++i) {
            const auto guard = co_await lock.scoped_lock_async();
            co_await futon::sleep_for(std::chrono::nanoseconds(0));
        }
    };
    return nanoseconds_of(operations, [&] {
        const futon::Promise<void> one = run(), other = run();
        loop.run();
    });
}

double notify_without_waiters(std::uint64_t operations) {
    std::atomic<std::uint32_t> word{0};
    return nanoseconds_of(operations, [&] {
        for (std::uint64_t i = 0; i < operations; ++i) futon::notify(word);
    });
}

template <class Function>
void print(const char* name, int rounds, Function function) {
    std::vector<double> times;
    for (int i = 0; i < rounds; ++i) times.push_back(function());
    std::sort(times.begin(), times.end());
    std::printf("%s %.2f\n", name, times[times.size() / 2]);
}

}  // namespace

int main(int argc, char** argv) {
    const std::string_view mode = argc > 1 ? argv[1] : "plain";
    const bool is_slow = mode != "plain" && mode != "sampled";
    if (mode == "sampled") diagnostics::observe(diagnostics::Observe::samples);
    if (mode == "waits") diagnostics::keep_places(diagnostics::Places::waits);
    if (mode == "trace") diagnostics::trace();
    if (argc > 3) {
        const std::string_view name = argv[2];
        const std::uint64_t operations = std::strtoull(argv[3], nullptr, 10);
        if (name == "free") free_lock(operations);
        if (name == "loop") lock_on_a_loop(operations);
        if (name == "turns") lock_in_turns(operations);
        if (name == "notify") notify_without_waiters(operations);
        return 0;
    }
    const std::uint64_t operations = is_slow ? 20'000 : 2'000'000;
    print("free", 9, [=] { return free_lock(operations); });
    for (const auto& [name, threads] : {std::pair{"threads_2", 2}, {"threads_4", 4}, {"threads_8", 8}})
        print(name, 5, [=, n = threads] { return contended_lock<false>(operations, static_cast<std::uint64_t>(n)); });
    for (const auto& [name, threads] : {std::pair{"work_2", 2}, {"work_4", 4}, {"work_8", 8}})
        print(name, 5,
              [=, n = threads] { return contended_lock<true>(operations / 4, static_cast<std::uint64_t>(n)); });
    print("loop", 5, [=] { return lock_on_a_loop(operations / 4); });
    print("turns", 5, [=] { return lock_in_turns(operations / 20); });
    print("notify", 5, [=] { return notify_without_waiters(operations); });
}
