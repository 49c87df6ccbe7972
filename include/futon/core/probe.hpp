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

/// The same for a coroutine whose wait goes on, where nothing can throw.
inline void sleeps_again() noexcept {}

/// Neither a deadline nor a stop ends what the calling thread's attempt waits for next.
inline void limits_end() noexcept {}

/// A guard owns what its caller has acquired exclusively at this address; or gives it up, and its caller must release it.
inline void guarded(const void* /*address*/, bool /*is_owned*/) noexcept {}

/// A coroutine of the library's own types begins: its end settles this promise.
inline void coroutine_begins(const void* /*frame*/, const void* /*promise*/) noexcept {}

/// The end of the coroutine that settles the first promise may settle the second one, too, and nothing else does but others of
/// which this is told: for promises that are made of several.
inline void promise_joins(const void* /*part*/, const void* /*whole*/) noexcept {}

/// Memory is freed in which a coroutine's frame may have been.
inline void memory_freed(const void* /*memory*/) noexcept {}

/// A promise settles, which something listens to or may await later, or not; a coroutine takes what it has settled with; its
/// handle is gone, and something has listened to it or not; it never settles, but coroutines of loops that go on await it.
inline void promise_settles(const void* /*promise*/, bool /*is_reachable*/) noexcept {}
inline void promise_taken(const void* /*frame*/, const void* /*promise*/) noexcept {}
inline void promise_dropped(const void* /*promise*/, bool /*has_listened*/) noexcept {}
inline void promise_lost(const void* /*promise*/) noexcept {}

/// The same as `coroutine_begins`, for coroutines that are not told of by their memory: it ends with this object.
struct Settler {
    void set(const void* /*frame*/, const void* /*promise*/) noexcept {}  ///< nothing
};

/// That a coroutine awaits a promise; kept in its frame.
struct PromiseWait {
    /// The coroutine waits from now on, until `end` or the end of this.
    void begin(const void* /*frame*/, const void* /*promise*/, const char* /*operation*/,
               bool /*is_limited*/) noexcept {}
    void end() noexcept {}  ///< nothing

    /// As `about_to_sleep`. The second never throws.
    void look(const void* /*frame*/) const {}
    void look_only(const void* /*frame*/) const noexcept {}
};

/// The calling thread's event loop begins a job, or fires a timer; has ended it.
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

/// Waiters may have been moved to the queue at this address, whose owners sleep on. Under no lock.
inline void sleep_elsewhere(const void* /*address*/) noexcept {}

/// The caller has acquired the primitive at this address; is about to release it; is about to hand it off or offer it
/// to a waiter, under its queue's lock. An offer of it has expired.
inline void acquired(const void* /*address*/, Hold, std::uint64_t /*amount*/ = 1, Way = Way::ready_to_wait) noexcept {}
inline void releasing(const void* /*address*/, Hold, std::uint64_t /*amount*/ = 1) noexcept {}
inline void handing_off(const void* /*address*/, const Waiter&) noexcept {}
inline void offer_expired(const void* /*address*/) noexcept {}

}  // namespace probe

}  // namespace futon::core

#include <futon/detail/end.hpp>
