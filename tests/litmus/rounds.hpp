// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>

namespace futon::litmus {

/// How many trials there are between two barriers of the threads.
inline constexpr std::size_t batch = 512;

/// How many trials a thread runs before it waits for the other.
inline constexpr std::size_t group = 8;

/// Keeps two threads side by side in a batch: each publishes how far it is, and waits until the other is as far.
class Pace {
public:
    void meet(std::size_t thread, std::uint64_t number) noexcept {
        at_[thread].value.store(number, std::memory_order_release);
        const std::atomic<std::uint64_t>& other = at_[1 - thread].value;
        for (int spins = 0; other.load(std::memory_order_acquire) < number;)
            if (++spins > 2'000) std::this_thread::yield();
    }

private:
    struct alignas(64) Counter {
        std::atomic<std::uint64_t> value{0};
    };
    std::array<Counter, 2> at_;
};

/// Delays of a random length. Without them, the thread that arrives second would leave first and decide every trial.
class Jitter {
public:
    explicit Jitter(std::size_t seed) : state_(seed + 1) {}

    void delay() noexcept {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        for (std::uint64_t left = state_ >> 56; left > 0; --left) std::atomic_signal_fence(std::memory_order_seq_cst);
    }

private:
    std::uint64_t state_;
};

/// Runs `rounds` batches of trials on two threads. `first` and `second` each do half of a trial of one cell. Between
/// two batches, `rest` alone counts and resets the cells.
template <class First, class Second, class Rest>
void run_rounds(std::uint64_t rounds, First first, Second second, Rest rest) {
    Pace pace;
    const auto go = [&pace, rounds](std::size_t thread, auto half, auto between) {
        std::uint64_t number = 0;
        Jitter jitter(thread);
        for (std::uint64_t round = 0; round < rounds; ++round) {
            for (std::size_t cell = 0; cell < batch; ++cell) {
                if (cell % group == 0) {
                    pace.meet(thread, ++number);
                    jitter.delay();
                }
                half(cell);
            }
            pace.meet(thread, ++number);
            between();
            pace.meet(thread, ++number);
        }
    };
    std::thread other(go, std::size_t{1}, second, [] {});
    go(0, first, rest);
    other.join();
}

}  // namespace futon::litmus
