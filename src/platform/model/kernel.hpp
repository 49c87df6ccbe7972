// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

/// What the platform's parts ask of the explorer. Outside of an exploration all of it does nothing.
namespace futon::model {

inline constexpr int max_fibers = 8;

/// A moment at which another fiber may run.
void point(const char* what, const void* where) noexcept;

/// Lets the calling fiber sleep until somebody calls `make_ready` for it, or until the explorer decides that `deadline`
/// has come. Returns false in that case.
bool block(const char* what, const void* where, std::chrono::steady_clock::time_point deadline) noexcept;

/// Number of the calling fiber; 0 is the program itself.
int this_fiber() noexcept;
void make_ready(int fiber) noexcept;

/// How many mutexes the calling fiber holds. [no-lock]
int& held_locks() noexcept;

[[noreturn]] void fail(const char* what) noexcept;

std::chrono::steady_clock::time_point virtual_now() noexcept;

/// A slot of the calling fiber, for what is thread-local elsewhere.
void*& fiber_slot() noexcept;

// The memory. Values are passed as 64 bits. `fallback` is the cell itself, which holds the newest value.
std::uint64_t load(const void* cell, std::uint64_t newest, std::memory_order order) noexcept;
void store(const void* cell, std::uint64_t previous, std::uint64_t value, std::memory_order order) noexcept;
void read_modify_write(const void* cell, std::uint64_t previous, std::uint64_t value, std::memory_order order) noexcept;
void read_newest(const void* cell, std::uint64_t newest, std::memory_order order) noexcept;
void forget(const void* cell) noexcept;
void fence() noexcept;

/// What a lock's unlock passes to its next lock, and a token to the one who takes it.
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

}  // namespace futon::model
