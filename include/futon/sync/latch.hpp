// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <futon/agent.hpp>
#include <futon/core/driver/await.hpp>
#include <futon/core/operation/operation.hpp>
#include <futon/core/probe.hpp>
#include <futon/deadline.hpp>
#include <futon/detail/atomic.hpp>
#include <futon/detail/export.hpp>
#include <futon/detail/stop_token.hpp>
#include <futon/detail/sync/ways_to_wait.hpp>
#include <futon/detail/view.hpp>
#include <futon/detail/warn_unused.hpp>
#include <futon/limits.hpp>
#include <futon/wait_result.hpp>

namespace futon {

class SharedArrayBuffer;

/// A one-way countdown: when the count reaches zero, the latch opens for good and releases all its waiters.
///
///     futon::Latch ready(3);
///     ready.count_down();                        // any agent
///     ready.wait();                              // a thread that may block
///     co_await ready.wait_async(5ms);            // a coroutine
///
/// Four bytes, zero when open: it can be a member, a global, or lie in a SharedArrayBuffer.
///
/// | to wait for it                  | threads and tasks that may | if it is not open          |
/// |---------------------------------|----------------------------|----------------------------|
/// | wait, arrive_and_wait           | agents that may block      | blocks                     |
/// | try_wait                        | any                        | returns false              |
/// | wait_async, arrive_and_wait_async | coroutines               | the coroutine is suspended |
/// | waiting                         | drivers, `select`          | the driver decides         |
///
/// Fairness  opening releases all waiters at once, in queue order.
/// Ordering  everything before each count down happens before everything after the waits.
/// Lifetime  the count down that opens the latch does not touch it after a waiter or a `try_wait` could have seen it
///           open, so the caller of either may destroy it. Other count downs do not touch it after they have counted.
/// Requires  the latch is neither destroyed nor moved while a waiter is queued.
class FUTON_API Latch : public detail::WaysToWait<Latch> {
public:
    /// "Wait until it is open" as an operation.
    class FUTON_API FUTON_WARN_UNUSED Waiting : public detail::WaitingForState {
    public:
        static constexpr const char* name = "futon::Latch::wait";

        explicit Waiting(Latch& latch) noexcept : latch_(latch) {}
        const void* key() const noexcept { return latch_.get(); }
        bool try_now() const noexcept { return is_over_ || latch_->try_wait(); }
        bool try_spinning() const noexcept { return latch_->try_wait_spinning(); }
        core::WaitCheck check() const noexcept { return {&latch_->word_, 0, &Latch::must_wait, core::FoundBy::note}; }

    private:
        friend class Latch;
        Waiting(Latch& latch, bool is_over) noexcept : latch_(latch), is_over_(is_over) {}

        core::Target<Latch> latch_;
        bool is_over_ = false;  // [last-touch] the caller itself has opened the latch, which may be gone
    };

    /// The largest count.
    static constexpr std::uint32_t max() noexcept { return ~std::uint32_t{0} / one; }

    /// Throws  std::invalid_argument if `count` is larger than `max()`
    constexpr explicit Latch(std::uint64_t count) : word_(static_cast<std::uint32_t>(count) * one) {
        if (count > max()) throw_too_large();
    }
    Latch(const Latch&) = delete;
    Latch& operator=(const Latch&) = delete;

    /// Returns the latch that lies in a buffer. All views of the same bytes are the same latch; nothing but latches may
    /// wait there. Zero bytes are an open latch, so one agent makes it, by placement new, before the others use it.
    ///
    /// Throws  std::out_of_range if `byte_offset` is not a multiple of four, or the latch would end outside the buffer
    template <std::same_as<SharedArrayBuffer> Buffer>  // so that this header need not include it
    static Latch& at(Buffer& buffer, std::size_t byte_offset = 0) {
        return detail::object_at<Latch>(buffer, byte_offset);
    }

    /// Subtracts `n`, which may be zero. If the count reaches zero, releases all waiters. Any agent.
    ///
    /// Throws  std::logic_error if `n` is larger than the count; the count is unchanged. If racing calls together
    ///         exceed the count, at least one throws, and the latch may be open
    /// Cost    a compare-exchange. If it opens the latch and waiters are queued: the queue's lock, once for every 128,
    ///         then a delivery for each
    void count_down(std::uint64_t n = 1) { static_cast<void>(subtract(n)); }

    /// Whether it is open. If it returns true, it orders like a wait. Any agent.
    [[nodiscard]] bool try_wait() const noexcept {
        return word_.load(std::memory_order_acquire) == 0;  // [signal]
    }

    /// Blocks until the latch is open or the limits are over: `wait()`, `wait(limits)`. See detail::WaysToWait.
    ///
    /// Returns  `ok`; with limits also `timed_out` or `cancelled`. An open latch wins over limits that are over.
    /// Cost     two loads if it is open
    /// Threads  agents that may block.
    /// Throws   BlockingForbidden if the agent may not block, even if the latch is open
    using WaysToWait::wait;

    /// `wait` for coroutines, with the same limits: `co_await` gives what `wait` returns. Returns a core::Await<Waiting>.
    ///
    /// Throws  when awaited: NoExecutor if the thread has no executor, or if there is a deadline and the executor keeps
    ///         no timers
    using WaysToWait::wait_async;

    /// Counts down by `n`, then waits. If the limits are over first, the count down stays.
    ///
    /// Throws  as both; the count is unchanged then
    WaitResult arrive_and_wait(std::uint64_t n = 1) { return arrive_and_wait(n, {}); }
    [[nodiscard]] WaitResult arrive_and_wait(std::uint64_t n, const Limits& limits) {
        if (!detail::this_thread_can_block()) [[unlikely]]
            detail::throw_blocking_forbidden("futon::Latch::arrive_and_wait");
        return subtract(n) ? WaitResult::ok : block(limits);
    }

    /// Counts down by `n` in this call, and returns an awaitable of the wait.
    ///
    /// Throws  as both, and NoExecutor in this call; the count is unchanged then
    core::Await<Waiting> arrive_and_wait_async(std::uint64_t n = 1, Limits limits = {}) {
        Limits shared = std::move(limits).from_now();
        core::require_timers(Agent::current(), shared.deadline(), "futon::Latch::arrive_and_wait_async");
        const bool is_over = subtract(n);
        return core::await(Waiting(*this, is_over), std::move(shared));
    }

    // Near misses. Compilers quote the line that declares a deleted function, and with it the advice.
    // clang-format off
    void arrive_and_wait(const Limits&) = delete;  // futon: the count comes first: write arrive_and_wait(1, 5ms)
    void arrive_and_wait_async(const Limits&) = delete;  // futon: the count comes first: write arrive_and_wait_async(1, 5ms)
    // clang-format on

    /// `wait` as an operation, for `select` and the drivers of `core`. Yields a WaitResult.
    Waiting waiting() noexcept { return Waiting(*this); }

private:
    // The word. It is zero exactly if the latch is open.
    //
    //     bits         means                                changed by
    //     has_waiters  a waiter may be queued: never clear  set by a check that must wait, under the queue's lock; cleared by the
    //                  while one is                         count down that opens the latch, under the queue's lock
    //     the others   the count                            `count_down`; to zero, with waiters, under the queue's lock
    //
    // [last-touch] A count down changes the word once, and does not touch the latch after that: from then on a
    // `try_wait` on another thread may succeed, and its caller may destroy the latch while the count down still returns
    // or delivers. So if waiters are queued, the count becomes zero after all of them are dequeued, in the last call of
    // the visitor.
    static constexpr std::uint32_t has_waiters = 1;
    static constexpr std::uint32_t one = 2;  // of the count

    class Opening;

    /// Returns whether this count down opened the latch.
    bool subtract(std::uint64_t n) {
        std::uint32_t seen = word_.load(std::memory_order_relaxed);  // the exchange decides
        while (true) {
            if (n > seen / one) [[unlikely]]
                throw_below_zero();
            if (n == 0) return false;
            const std::uint32_t next = seen - static_cast<std::uint32_t>(n) * one;
            if (next == has_waiters) {
                open(static_cast<std::uint32_t>(n));
                return true;
            }
            if (word_.compare_exchange_weak(seen, next, std::memory_order_acq_rel,  // [signal]
                                            std::memory_order_relaxed))             // the loop retries
                return next == 0;
        }
    }

    void open(std::uint32_t n);
    bool try_wait_spinning() const noexcept;
    static bool must_wait(void* word, std::uint64_t) noexcept;
    [[noreturn]] static void throw_below_zero();
    [[noreturn]] static void throw_too_large();

    detail::Atomic<std::uint32_t> word_;
    [[no_unique_address]] core::probe::Lifetime lifetime_;
};

static_assert(sizeof(Latch) == 4 && (std::is_trivially_destructible_v<Latch> || core::probe::is_enabled));

// The waiting code is compiled once, in the library: see src/sync/awaits.cpp.
extern template WaitResult detail::WaysToWait<Latch>::block(const Limits&);
extern template class core::Await<Latch::Waiting>::Waiting;

}  // namespace futon

#include <futon/detail/end.hpp>
