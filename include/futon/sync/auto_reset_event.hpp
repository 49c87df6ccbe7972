// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <futon/core/operation/operation.hpp>
#include <futon/core/probe.hpp>
#include <futon/detail/atomic.hpp>
#include <futon/detail/export.hpp>
#include <futon/detail/sync/ways_to_wait.hpp>
#include <futon/detail/view.hpp>
#include <futon/detail/warn_unused.hpp>
#include <futon/wait_result.hpp>

namespace futon {

class SharedArrayBuffer;

/// A signal that one waiter takes: each set releases one waiter, or is remembered for the next. Sets that no wait has
/// taken count as one.
///
///     futon::AutoResetEvent work;
///     work.set();                                // any agent
///     work.wait();                               // a thread that may block
///     co_await work.wait_async(5ms);             // a coroutine
///
/// Four bytes, zero while it is not set: it can be a member, a global, or lie in a SharedArrayBuffer. To release all
/// waiters, and stay set, use `Event`.
///
/// | to take the signal | threads and tasks that may | if it is not set           |
/// |--------------------|----------------------------|----------------------------|
/// | wait               | agents that may block      | blocks                     |
/// | try_wait           | any                        | returns false              |
/// | wait_async         | coroutines                 | the coroutine is suspended |
/// | waiting            | drivers, `select`          | the driver decides         |
///
/// Fairness  first come, first served: a set hands the signal off to the first waiter in the queue, and no other caller
///           can take it in between.
/// Loops     a task keeps a signal that it was handed even if its event loop does not run; the next set goes to the
///           next waiter.
/// Cancel    if the receiver of a signal is gone before it runs (a destroyed coroutine, a dropped promise, an ended
///           agent), the signal is set again: it goes to the next waiter, or is remembered.
/// Ordering  everything before a set happens before everything after the wait that takes it, or after the reset that
///           undoes it. The same holds for each of several sets that count as one.
/// Lifetime  a set does not touch the event after a waiter or a `try_wait` could have taken its signal, so the taker
///           may destroy the event.
/// Requires  the event is neither destroyed nor moved while a waiter is queued, or has been handed a signal and has not
///           returned.
class FUTON_API AutoResetEvent : public detail::WaysToWait<AutoResetEvent> {
public:
    /// "Take a signal" as an operation.
    class FUTON_API FUTON_WARN_UNUSED Waiting {
    public:
        using Result = WaitResult;
        static constexpr const char* name = "futon::AutoResetEvent::wait";

        explicit Waiting(AutoResetEvent& event) noexcept : event_(event) {}
        const void* key() const noexcept { return event_.get(); }
        bool try_now() const noexcept { return event_->try_wait(); }
        bool try_spinning() const noexcept { return event_->try_wait_spinning(); }
        core::WaitCheck check() const noexcept {
            return {&event_->word_, 0, &AutoResetEvent::must_wait, core::FoundBy::note};
        }
        bool woken(core::WakeToken token) const noexcept { return token == core::WakeToken::handed_off; }
        void give_back(core::WakeToken token) const noexcept {
            if (token == core::WakeToken::handed_off) event_->set();
        }
        static constexpr WaitResult result(core::Ending ending) noexcept { return core::to_wait_result(ending); }

    private:
        core::Target<AutoResetEvent> event_;
    };

    constexpr AutoResetEvent() noexcept = default;
    constexpr explicit AutoResetEvent(bool is_set_at_first) noexcept : word_(is_set_at_first ? signalled : 0) {}
    AutoResetEvent(const AutoResetEvent&) = delete;
    AutoResetEvent& operator=(const AutoResetEvent&) = delete;

    /// Returns the event that lies in a buffer. All views of the same bytes are the same event; nothing but such events
    /// may wait there.
    ///
    /// Throws  std::out_of_range if `byte_offset` is not a multiple of four, or the event would end outside the buffer
    template <std::same_as<SharedArrayBuffer> Buffer>  // so that this header need not include it
    static AutoResetEvent& at(Buffer& buffer, std::size_t byte_offset = 0) {
        return detail::object_at<AutoResetEvent>(buffer, byte_offset);
    }

    /// Releases the first waiter. If no waiter is queued, the signal is remembered. Any agent.
    ///
    /// Loops  if the first waiter is a task, it keeps the signal even while its loop is busy or does not run; a thread
    ///        behind it gets the next one. A `Semaphore` only offers its permits to a task: prefer it where threads and
    ///        loops wait together.
    /// Cost   a compare-exchange if no waiter is queued; else the queue's lock and a delivery
    void set() noexcept {
        std::uint32_t seen = word_.load(std::memory_order_relaxed);  // the exchange decides
        // The exchange is needed even if the event is set already: it orders what came before each set. [last-touch]
        // The exchange.
        while ((seen & has_waiters) == 0)
            if (word_.compare_exchange_weak(seen, signalled, std::memory_order_release,  // [signal]
                                            std::memory_order_relaxed))                  // the loop retries
                return;
        hand_off();
    }

    /// Takes the signal if one is remembered, without waiting. Any agent.
    [[nodiscard]] bool try_wait() noexcept {
        std::uint32_t seen = signalled;
        return word_.compare_exchange_strong(seen, 0, std::memory_order_acquire,  // [signal]
                                             std::memory_order_relaxed);          // nothing was taken
    }

    /// Whether a signal is remembered. Only a hint: another agent may take it. Any agent.
    [[nodiscard]] bool is_set() const noexcept {
        return word_.load(std::memory_order_acquire) == signalled;  // [signal]
    }

    /// Forgets a remembered signal. Any agent.
    void reset() noexcept { static_cast<void>(try_wait()); }

    /// Blocks until it takes a signal or the limits are over: `wait()`, `wait(limits)`. See
    /// detail::WaysToWait.
    ///
    /// Returns  `ok`; with limits also `timed_out` or `cancelled`. A remembered signal wins over limits that are
    ///          over.
    /// Cost     a load and a compare-exchange if a signal is remembered
    /// Threads  agents that may block.
    /// Throws   BlockingForbidden if the agent may not block; a remembered signal stays then
    using WaysToWait::wait;

    /// `wait` for coroutines, with the same limits: `co_await` gives what `wait` returns. Returns a
    /// core::Await<Waiting>.
    ///
    /// Throws  when awaited: NoExecutor if the thread has no executor, or if there is a deadline and the executor keeps
    ///         no timers
    using WaysToWait::wait_async;

    /// `wait` as an operation, for `select` and the drivers of `core`. Yields a WaitResult.
    Waiting waiting() noexcept { return Waiting(*this); }

private:
    // The word, by its bits. At most one of them is set: a signal is remembered only if no waiter could take it.
    //
    //     bit          means                                set by                      cleared by
    //     signalled    a signal is remembered               a set that has no waiter;   the wait that takes the signal;
    //                                                       under the queue's lock if   `reset`
    //                                                       `has_waiters` was set
    //     has_waiters  a waiter may be queued: never clear  a check that must wait,     a set that finds the queue empty, or
    //                  while one is                         under the queue's lock      leaves it so, under the queue's lock
    //
    // [last-touch] A set changes the word at most once, and does not touch the event after that: from then on a
    // `try_wait` may succeed, or the waiter that has the signal may return, and its caller may destroy the event. So if
    // waiters are queued, the set changes the word after it has dequeued the first and before it delivers, in the last
    // call of the visitor.
    static constexpr std::uint32_t signalled = 1;
    static constexpr std::uint32_t has_waiters = 2;

    class Handoff;

    void hand_off() noexcept;
    bool try_wait_spinning() noexcept;
    static bool must_wait(void* word, std::uint64_t) noexcept;

    detail::Atomic<std::uint32_t> word_{0};
    [[no_unique_address]] core::probe::Lifetime lifetime_;
};

static_assert(sizeof(AutoResetEvent) == 4 &&
              (std::is_trivially_destructible_v<AutoResetEvent> || core::probe::is_enabled));

// The waiting code is compiled once, in the library: see src/sync/awaits.cpp.
extern template WaitResult detail::WaysToWait<AutoResetEvent>::block(const Limits&);
extern template class core::Await<AutoResetEvent::Waiting>::Waiting;

}  // namespace futon

#include <futon/detail/end.hpp>
