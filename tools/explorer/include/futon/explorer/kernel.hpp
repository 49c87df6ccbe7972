// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include <futon/explorer.hpp>

/// What the parts of the platform `model` ask of the explorer. Outside of an exploration all of it does nothing.
namespace futon::explorer {

/// What a fiber waits for: a function of the place.
using Readiness = bool(const void* place) noexcept;

/// A schedule point before a step that cannot be taken until `is_ready`. Returns false if `deadline` came first.
bool await(const char* what, const void* place, Readiness* is_ready,
           std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max()) noexcept;

/// Whether the platform should do the rare thing, as long as the schedule has some left.
bool allocation_fails() noexcept;
bool wakes_spuriously() noexcept;

/// Whether spinning is explored: where it is not, a thread goes to sleep at once, which loses no state but those of the polls.
bool spins() noexcept;

/// What the clock says outside of an exploration: for simulations.
void set_clock_outside(std::chrono::steady_clock::time_point time) noexcept;

/// Starts a thread of the library's own: a fiber that `join` does not wait for, and that is gone when the schedule ends.
void spawn_background(const char* name, void (*run)(void*) noexcept, void* context) noexcept;

/// Has `handler` called before each schedule, in which nothing runs that was started in another. For the beginning of the program.
void before_schedules(void (*handler)() noexcept) noexcept;

/// Ends the schedule as a failure of a kind (a data race), at a place whose name it tells.
[[noreturn]] void fail_at(const char* kind, const void* place, const char* what) noexcept;

/// Number of the calling fiber; 0 is the program itself.
int this_fiber() noexcept;

/// Whether the calling fiber may block while it has made no agent; see forbid_blocking.
bool fiber_may_block() noexcept;

/// How many mutexes the calling fiber holds. [no-lock]
int& held_locks() noexcept;

/// A slot of the calling fiber, for what is thread-local elsewhere.
void*& fiber_slot() noexcept;

// The memory. Values are passed as 64 bits; the cell itself holds the newest.
std::uint64_t load(const void* cell, std::uint64_t newest, std::memory_order order) noexcept;
void store(const void* cell, std::uint64_t previous, std::uint64_t value, std::memory_order order) noexcept;
void read_modify_write(const void* cell, std::uint64_t previous, std::uint64_t value, std::memory_order order) noexcept;
void read_newest(const void* cell, std::uint64_t newest, std::memory_order order) noexcept;
void forget(const void* cell) noexcept;
void fence() noexcept;

/// What a lock's unlock passes to its next lock, and a token to the fiber that takes it.
struct Clock {
    std::uint32_t at[max_fibers]{};
    std::uint64_t schedule = 0;  // that it belongs to: locks outlive schedules, and what they passed on does not count

    void join(const Clock& other) noexcept {
        for (int i = 0; i < max_fibers; ++i)
            if (other.at[i] > at[i]) at[i] = other.at[i];
    }
};
void publish(Clock& clock) noexcept;
void acquire(const Clock& clock) noexcept;

/// The calling fiber's own time, advanced by one; 0 where memory is not weak.
std::uint32_t tick() noexcept;

/// Whether what another fiber did at its `time` is ordered before what the calling one does now.
bool happened_before(int other, std::uint32_t time) noexcept;

}  // namespace futon::explorer
