// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include <futon/explorer.hpp>

/// What the parts of the platform `model` ask of the explorer. Outside an exploration none of it does anything.
namespace futon::explorer {

/// The condition that a fiber waits for, as a function of the place.
using Readiness = bool(const void* place) noexcept;

/// A schedule point before a step that cannot be taken until `is_ready`. Returns false if `deadline` came first.
bool await(const char* what, const void* place, Readiness* is_ready,
           std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max()) noexcept;

/// Whether the platform should do the rare thing now. False once the schedule has used up its number of them.
bool allocation_fails() noexcept;
bool wakes_spuriously() noexcept;

/// Whether spinning is explored. If not, a thread goes to sleep at once, which loses no states except those of the
/// polls.
bool spins() noexcept;

/// Sets the clock's time outside an exploration, for simulations.
void set_clock_outside(std::chrono::steady_clock::time_point time) noexcept;

/// Starts a thread of the library's own: a fiber that `join` does not wait for, and that ends with the schedule.
void spawn_background(const char* name, void (*run)(void*) noexcept, void* context) noexcept;

/// Makes the explorer call `handler` before each schedule, when nothing of another schedule runs. Call it at the start
/// of the program.
void before_schedules(void (*handler)() noexcept) noexcept;

/// Ends the schedule as a failure of a kind (a data race), and names the place.
[[noreturn]] void fail_at(const char* kind, const void* place, const char* what) noexcept;

/// The number of the calling fiber; 0 is the program itself.
int this_fiber() noexcept;

/// Whether the calling fiber may block without an agent; see forbid_blocking.
bool fiber_may_block() noexcept;

/// How many mutexes the calling fiber holds. [no-lock]
int& held_locks() noexcept;

/// A slot of the calling fiber, instead of a thread-local variable; and memory for others, all zeros when a schedule begins.
void*& fiber_slot() noexcept;
inline constexpr std::size_t size_of_fiber_memory = 64;
std::byte* fiber_memory() noexcept;

// The memory. Values are passed as 64 bits; the cell itself holds the newest value.
std::uint64_t load(const void* cell, std::uint64_t newest, std::memory_order order) noexcept;
void store(const void* cell, std::uint64_t previous, std::uint64_t value, std::memory_order order) noexcept;
void read_modify_write(const void* cell, std::uint64_t previous, std::uint64_t value, std::memory_order order) noexcept;
void read_newest(const void* cell, std::uint64_t newest, std::memory_order order) noexcept;
void forget(const void* cell) noexcept;
void fence() noexcept;

/// A seq_cst fence of every fiber, wherever it is: what an operating system offers to the side of a protocol that is seldom taken,
/// so that the other needs none.
void heavy_fence() noexcept;

/// What an unlock passes to the next lock, and a token to the fiber that takes it.
struct Clock {
    std::uint32_t at[max_fibers]{};
    std::uint64_t schedule = 0;  // that it belongs to; what a lock passed in an older schedule does not count

    void join(const Clock& other) noexcept {
        for (int i = 0; i < max_fibers; ++i)
            if (other.at[i] > at[i]) at[i] = other.at[i];
    }
};
void publish(Clock& clock) noexcept;
void acquire(const Clock& clock) noexcept;

/// Advances the calling fiber's own time by one and returns it; 0 if memory is not weak.
std::uint32_t tick() noexcept;

/// Whether what another fiber did at its `time` is ordered before what the calling fiber does now.
bool happened_before(int other, std::uint32_t time) noexcept;

}  // namespace futon::explorer
