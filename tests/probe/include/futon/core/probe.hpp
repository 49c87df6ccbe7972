// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>

/// The tests' own probe, in the place of the empty one. Its functions are defined where a waiter is complete.
namespace futon {
class Limits;
}

namespace futon::core {

class Waiter;
enum class WakeToken : std::uintptr_t;

namespace probe {

inline constexpr bool is_enabled = true;

/// When the waiter was enqueued.
struct Stamp {
    std::chrono::steady_clock::time_point since{};
};

struct Lifetime {};

enum class Hold : std::uint8_t { lock, exclusive, shared, upgradeable, permits };
enum class Way : std::uint8_t { ready_to_wait, tried };

struct Task {
    void set(const void*) noexcept {}
    const void* frame() const noexcept { return nullptr; }
};

struct Attempt {
    constexpr Attempt(const void*, const char*, const Limits&) noexcept {}
    constexpr Attempt(const void*, const char*, bool) noexcept {}
};

constexpr bool is_ready_to_try() noexcept {
    return false;
}
struct Settler {
    void set(const void*, const void*) noexcept {}
};

struct PromiseWait {
    void begin(const void*, const void*, const char*, bool) noexcept {}
    void end() noexcept {}
    void look(const void*) const {}
    void look_only(const void*) const noexcept {}
};

inline void guarded(const void*, bool) noexcept {}
inline void coroutine_begins(const void*, const void*) noexcept {}
inline void promise_joins(const void*, const void*) noexcept {}
inline void memory_freed(const void*) noexcept {}
inline void promise_settles(const void*, bool) noexcept {}
inline void promise_taken(const void*, const void*) noexcept {}
inline void promise_dropped(const void*, bool) noexcept {}
inline void promise_lost(const void*) noexcept {}
inline void about_to_sleep() {}
inline void sleeps_again() noexcept {}
inline void limits_end() noexcept {}
inline void sleep_elsewhere(const void*) noexcept {}
inline void job_begins() noexcept {}
inline void job_ends() noexcept {}
inline void offer_expired(const void*) noexcept {}
void enqueued(const void* address, Waiter& waiter) noexcept;
void woken(const void* address, Waiter& waiter) noexcept;
void dequeued(const void* address, Waiter& waiter) noexcept;
void requeued(const void* from, const void* to, Waiter& waiter) noexcept;
void acquired(const void* address, Hold hold, std::uint64_t amount = 1, Way way = Way::ready_to_wait) noexcept;
void releasing(const void* address, Hold hold, std::uint64_t amount = 1) noexcept;
void handing_off(const void* address, const Waiter& waiter) noexcept;

}  // namespace probe

}  // namespace futon::core
