// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstdint>

/// The interface through which tools follow wait queues and locks. By default it is empty and compiles to nothing.
///
/// To observe events, put another file of this name first on the include path of both the library and the program;
/// CMake's `FUTON_PROBE_INCLUDE_DIR` does both. The functions run where the event happens, some of them under a queue's
/// lock: they must not block, allocate, throw, or call futon.
namespace futon {
class Limits;
}

namespace futon::core {

class Waiter;
enum class WakeToken : std::uintptr_t;

namespace probe {

/// Whether the probe does anything; a program's own probe says true.
inline constexpr bool is_enabled = false;

/// What the probe keeps in each waiter: a time point, a number.
struct Stamp {};

/// A part of each primitive that has an owner or waiters, so that the probe learns of the primitive's end.
struct Lifetime {
    // NOLINTNEXTLINE(modernize-use-equals-default): so that Clang takes no member of this type for an unused one
    constexpr Lifetime() noexcept {}
};

/// How a primitive is held.
enum class Hold : std::uint8_t { lock, exclusive, shared, upgradeable, permits };

/// Whether the caller of a primitive was ready to wait for it.
enum class Way : std::uint8_t { ready_to_wait, tried };

/// Which coroutine makes an attempt; kept in its frame.
struct Task {
    /// The address of the coroutine's frame; null if the probe does not ask.
    void set(const void* /*frame*/) noexcept {}
    const void* frame() const noexcept { return nullptr; }  ///< the same
};

/// While it exists, the calling thread makes an attempt that may wait: for a coroutine, if `task` is not null, else for
/// itself. The limits say whether a deadline or a stop may end the wait.
struct Attempt {
    constexpr Attempt(const void* /*task*/, const char* /*operation*/, const Limits& /*limits*/) noexcept {}
    constexpr Attempt(const void* /*task*/, const char* /*operation*/, bool /*is_limited*/) noexcept {}
};

/// Whether the thread may try now what a coroutine is about to await. If not, it tries in an attempt of the coroutine's, which is not
/// known before that.
constexpr bool is_ready_to_try() noexcept {
    return true;
}

/// The caller's waiters are queued, and the thread or the coroutine goes to sleep next, under no lock. A probe may throw:
/// the wait ends then.
inline void about_to_sleep() {}

/// The calling thread's event loop begins a job; has ended it.
inline void job_begins() noexcept {}
inline void job_ends() noexcept {}

/// A waiter was enqueued, under its queue's lock.
inline void enqueued(const void* /*address*/, Waiter&) noexcept {}

/// A waker dequeued a waiter, under its queue's lock; the delivery follows.
inline void woken(const void* /*address*/, Waiter&) noexcept {}

/// A waiter was dequeued for another reason, under its queue's lock: its deadline, a stop, the end of its agent, or a
/// decided group.
inline void dequeued(const void* /*address*/, Waiter&) noexcept {}

/// A waiter was moved to another queue, under the locks of both.
inline void requeued(const void* /*from*/, const void* /*to*/, Waiter&) noexcept {}

/// The caller has acquired the primitive at this address; is about to release it; is about to hand it off or offer it
/// to a waiter, under its queue's lock. An offer of it has expired.
inline void acquired(const void* /*address*/, Hold, std::uint64_t /*amount*/ = 1, Way = Way::ready_to_wait) noexcept {}
inline void releasing(const void* /*address*/, Hold, std::uint64_t /*amount*/ = 1) noexcept {}
inline void handing_off(const void* /*address*/, const Waiter&) noexcept {}
inline void offer_expired(const void* /*address*/) noexcept {}

}  // namespace probe

}  // namespace futon::core

#include <futon/detail/end.hpp>
