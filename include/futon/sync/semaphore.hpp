// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <futon/core/operation/arbiter.hpp>
#include <futon/deadline.hpp>
#include <futon/detail/export.hpp>
#include <futon/detail/sync/permit_rules.hpp>
#include <futon/detail/view.hpp>
#include <futon/fairness.hpp>
#include <futon/limits.hpp>
#include <futon/wait_result.hpp>

namespace futon {

class SharedArrayBuffer;

/// A counting semaphore for threads that may block and event loops that must not: permits, and one wait queue for both.
/// Use it to bound how many users share something: connections, buffers, requests under way. For one user at a time use
/// `AsyncLock`; to wait until something has happened, `Event` or `Latch`.
///
///     futon::Semaphore connections(8);
///     auto permit = connections.scoped_acquire();                         // a thread that may block
///     auto permits = co_await connections.scoped_acquire_async(2, 5ms);   // a coroutine: two at once, or none in 5 ms
///
/// Sixteen bytes; zero bytes are a semaphore without permits: it can be a member, a global, or lie in a
/// SharedArrayBuffer.
///
/// | to acquire n permits                        | threads and tasks that may | if there are fewer                   |
/// |---------------------------------------------|----------------------------|--------------------------------------|
/// | acquire, scoped_acquire, try_acquire_for    | agents that may block      | blocks; else BlockingForbidden       |
/// | try_acquire                                 | any                        | returns false                        |
/// | acquire_async, scoped_acquire_async         | coroutines                 | the coroutine is suspended           |
/// | acquiring, scoped_acquiring                 | drivers, `select`          | the driver decides                   |
///
/// All n permits are acquired at once, or none.
///
/// Fairness  a caller that finds enough permits takes them ahead of queued waiters. Waiters are served in queue order:
///           a small queued request does not overtake a large one. Once the first waiter has waited for
///           `handoff_threshold`, released permits are kept for it, so small requests of callers cannot overtake it for
///           ever. With `Fairness::strict` no caller overtakes the queue.
/// Order     a strict semaphore serves threads and tasks in queue order, with one exception: a task is overtaken if it
///           misses an offer that lasted as long as its loop has lately needed, or if its loop is in a turn longer than
///           any recent one. See `core::Arbiter`.
/// Loops     the loop of a queued task may not be running, so permits are only offered to the task. The offer lasts as
///           long as the loop takes to look at its jobs; while it is open, no other waiter or caller gets a permit.
///           After that, others may take the permits; the task keeps its place. See `core::Arbiter`.
/// Ordering  everything before a release happens before everything after an acquisition that it makes possible.
/// Lifetime  a release does not touch the semaphore once it has made an acquisition possible, so the thread that
///           acquires may destroy the semaphore, unless other waiters are queued.
/// Requires  the semaphore is neither destroyed nor moved while a waiter is queued.
class FUTON_API Semaphore {
public:
    class Permits;
    class Acquiring;
    class ScopedAcquiring;
    class Acquisition;
    class ScopedAcquisition;

    /// How long released permits may go to callers instead of the first waiter.
    static constexpr std::chrono::milliseconds handoff_threshold = core::handoff_threshold;

    /// The largest number of permits that any semaphore can have.
    static constexpr std::uint32_t max() noexcept { return 0x7fff'ffff; }

    /// Throws  std::system_error (value_too_large) if `permits` is more than `max()`
    constexpr explicit Semaphore(std::uint64_t permits = 0, Fairness fairness = Fairness::bounded)
        : Semaphore(permits, max(), fairness) {}

    /// Makes a semaphore with its own maximum: a release beyond it is refused. Permits that an abandoned wait had
    /// received always go back.
    ///
    ///     futon::Semaphore has_work(0, 1);   // a binary one
    ///
    /// Throws  std::invalid_argument if `maximum` is zero, or more than `max()`; std::system_error (value_too_large) if
    ///         `permits` is more than `maximum`
    constexpr Semaphore(std::uint64_t permits, std::uint64_t maximum, Fairness fairness = Fairness::bounded);
    Semaphore(const Semaphore&) = delete;
    Semaphore& operator=(const Semaphore&) = delete;

    /// Returns the semaphore that lies in a buffer. All views of the same bytes are the same semaphore; nothing but
    /// semaphores may wait there.
    ///
    /// Throws  std::out_of_range if `byte_offset` is not a multiple of sixteen, or the semaphore would end outside the
    ///         buffer
    template <std::same_as<SharedArrayBuffer> Buffer>  // so that this header need not include it
    static Semaphore& at(Buffer& buffer, std::size_t byte_offset = 0) {
        return detail::object_at<Semaphore>(buffer, byte_offset);
    }

    /// Takes the permits if there are enough, without waiting. Any agent.
    ///
    /// Throws  std::invalid_argument if `count` is zero, or more than `maximum()`
    /// Cost    a compare-exchange. If another thread is faster, it backs off once, for two microseconds at most
    bool try_acquire(std::uint64_t count = 1);

    /// Blocks until the caller has the permits, or the limits are over. Available permits win over limits that are over.
    ///
    /// Returns  `ok` if the caller has the permits, else `timed_out` or `cancelled`
    /// Threads  agents that may block.
    /// Throws   BlockingForbidden if the agent may not block, even if the permits are there; std::invalid_argument as
    ///          `try_acquire`
    /// Cost     as `try_acquire` if the permits are there; else up to ten microseconds of spinning before each sleep.
    ///          Allocates nothing
    WaitResult acquire(std::uint64_t count = 1);
    [[nodiscard]] WaitResult acquire(std::uint64_t count, const Limits& limits);
    [[nodiscard]] WaitResult acquire(const Limits& limits) { return acquire(1, limits); }

    /// The same for one permit, under the names of std::counting_semaphore.
    template <class Rep, class Period>
    [[nodiscard]] bool try_acquire_for(std::chrono::duration<Rep, Period> time);
    [[nodiscard]] bool try_acquire_until(Deadline deadline);

    /// The same, for permits that are put back at the end of a scope.
    Permits scoped_acquire(std::uint64_t count = 1, const Limits& limits = {});
    Permits scoped_acquire(const Limits& limits);

    /// The functions above for coroutines: `co_await` gives what they return, on this agent.
    ///
    /// Cancel  as `core::await`: if the coroutine is destroyed after it received permits, the permits go to the next
    ///         waiter, or back
    /// Throws  std::invalid_argument as `try_acquire`; when awaited: NoExecutor, as `core::await`
    Acquisition acquire_async(std::uint64_t count = 1, Limits limits = {});
    Acquisition acquire_async(Limits limits);
    ScopedAcquisition scoped_acquire_async(std::uint64_t count = 1, Limits limits = {});
    ScopedAcquisition scoped_acquire_async(Limits limits);

    // Near misses. Compilers quote the line that declares a deleted function, and with it the advice.
    // clang-format off
    void acquire(const Limits&, std::integral auto, const auto&...) = delete;  // futon: the count comes first: write acquire(2, 5ms)
    void scoped_acquire(const Limits&, std::integral auto, const auto&...) = delete;  // futon: the count comes first: write scoped_acquire(2, 5ms)
    void acquire_async(const Limits&, std::integral auto, const auto&...) = delete;  // futon: the count comes first: write acquire_async(2, 5ms)
    void scoped_acquire_async(const Limits&, std::integral auto, const auto&...) = delete;  // futon: the count comes first: write scoped_acquire_async(2, 5ms)
    void try_acquire_for(std::integral auto, const auto&...) = delete;  // futon: it acquires one permit: write acquire(2, 5ms) == futon::WaitResult::ok
    void try_acquire_until(std::integral auto, const auto&...) = delete;  // futon: it acquires one permit: write acquire(2, deadline) == futon::WaitResult::ok
    // clang-format on

    /// Adds permits, and wakes the waiters that they satisfy. Any agent; never blocks.
    ///
    /// Throws  std::system_error (value_too_large) if the permits would exceed `maximum()`; nothing is added then
    /// Cost    a compare-exchange if no waiter is queued
    void release(std::uint64_t count = 1);

    /// The same where a full semaphore is no error: returns false, and adds nothing, if the permits would exceed
    /// `maximum()`. To add as many of n as fit, call it for one permit, n times at most, until it returns false.
    [[nodiscard]] bool try_release(std::uint64_t count = 1) noexcept;

    /// How many permits are available. Only a hint: other agents acquire and release meanwhile.
    std::uint32_t available() const noexcept { return permits_.state(); }

    /// The most permits that this semaphore can have: the maximum that it was made with, or `max()`.
    std::uint32_t maximum() const noexcept { return maximum_ == 0 ? max() : maximum_; }

    /// `acquire` and `scoped_acquire` as operations, for `select` and the drivers of `core`. Throw as `try_acquire`.
    Acquiring acquiring(std::uint64_t count = 1);
    ScopedAcquiring scoped_acquiring(std::uint64_t count = 1);

private:
    using Arbiter = detail::PermitArbiter;

    static void require_can_block(const char* what);
    void require_possible(std::uint64_t count, const char* what) const;
    [[noreturn]] static void throw_impossible(const char* what, std::uint32_t most);
    [[noreturn]] static void throw_too_many(const char* what, std::uint32_t most);

    bool try_take(std::uint64_t count) noexcept;
    WaitResult acquire_contended(std::uint64_t count);
    WaitResult acquire_contended(std::uint64_t count, const Limits& limits);

    Arbiter permits_;
    std::uint32_t maximum_ = 0;  // 0, as in a zeroed buffer, means max()
};

static_assert(sizeof(Semaphore) == 16);
static_assert(std::is_trivially_destructible_v<Semaphore> || core::probe::is_enabled);

}  // namespace futon

#include <futon/detail/sync/semaphore_uncontended.hpp>  // what programs inline
#include <futon/sync/semaphore_permits.hpp>             // Permits, and what yields them

#include <futon/detail/end.hpp>
