// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <futon/core/operation.hpp>
#include <futon/detail/atomic.hpp>
#include <futon/detail/export.hpp>
#include <futon/detail/view.hpp>
#include <futon/detail/warn_unused.hpp>
#include <futon/sync/ways_to_wait.hpp>
#include <futon/wait_result.hpp>

namespace futon {

class SharedArrayBuffer;

/// A signal for one: each set releases one waiter, or is remembered for the next to come. Sets that no waiter takes in
/// between are one.
///
///     futon::AutoResetEvent work;
///     work.set();                                // any agent
///     work.wait();                               // a thread that may block
///     co_await work.wait_async(5ms);             // a coroutine
///
/// Four bytes, zero while it is not set: it can be a member, a global, or lie in a SharedArrayBuffer. `Event` releases all,
/// and stays set.
///
/// | to take the signal | threads and tasks that may | if it is not set           |
/// |--------------------|----------------------------|----------------------------|
/// | wait               | agents that may block      | blocks                     |
/// | try_wait           | any                        | returns false              |
/// | wait_async         | coroutines                 | the coroutine is suspended |
/// | waiting            | drivers, `select`          | as the driver waits        |
///
/// Fairness  first come, first served: a set hands the signal off to the first in the queue, and no caller takes it in between.
/// Loops     a task of an event loop that does not run keeps the signal that it was handed; the next set goes to the next.
/// Cancel    a signal that was handed off to a coroutine that is destroyed before it resumes, to a promise that is dropped or to
///           an agent that ends, is set anew: it goes to the next in the queue, or is remembered.
/// Ordering  what happened before a set happens before what follows the wait that takes it, or the reset that undoes it.
///           So it is for sets that were one.
/// Lifetime  a set does not touch the event after a waiter or a `try_wait` could have taken its signal, so that one may
///           destroy the event.
/// Requires  it is not destroyed or moved while a waiter is queued for it, or has been handed a signal and has not returned.
class FUTON_API AutoResetEvent : public detail::WaysToWait<AutoResetEvent> {
public:
    /// "Take a signal", as an operation.
    class FUTON_API FUTON_WARN_UNUSED Waiting {
    public:
        using Result = WaitResult;
        static constexpr const char* name = "futon::AutoResetEvent::wait";

        explicit Waiting(AutoResetEvent& event) noexcept : event_(event) {}
        const void* key() const noexcept { return event_.get(); }
        bool try_now() const noexcept { return event_->try_wait(); }
        bool try_spinning() const noexcept { return event_->try_wait_spinning(); }
        core::WaitCheck check() const noexcept { return {&event_->word_, 0, &AutoResetEvent::must_wait}; }
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

    /// The event that lies in a buffer. All views of the same bytes are the same event; only such events may wait there.
    ///
    /// Throws  std::out_of_range if `byte_offset` is no multiple of four, or the event would end outside the buffer
    template <std::same_as<SharedArrayBuffer> Buffer>  // that an event alone need not know
    static AutoResetEvent& at(Buffer& buffer, std::size_t byte_offset = 0) {
        return detail::object_at<AutoResetEvent>(buffer, byte_offset);
    }

    /// Releases the first that waits; if none does, the signal is remembered. Any agent.
    ///
    /// Loops  the signal stays with the first, also if that is a task whose loop is busy or does not run; a thread behind it gets
    ///        the next one. Where threads and loops wait for the same, a `Semaphore` only offers its permits to a task
    /// Cost   a compare-exchange where no waiter is queued; else the queue's lock and a delivery
    void set() noexcept {
        std::uint32_t seen = word_.load(std::memory_order_relaxed);  // decided by the exchange
        // Also where it is set already: what came before each set is ordered. [last-touch] The exchange.
        while ((seen & has_waiters) == 0)
            if (word_.compare_exchange_weak(seen, signalled, std::memory_order_release,  // [signal]
                                            std::memory_order_relaxed))                  // tries again
                return;
        hand_off();
    }

    /// Takes the signal if one is remembered. Any agent.
    [[nodiscard]] bool try_wait() noexcept {
        std::uint32_t seen = signalled;
        return word_.compare_exchange_strong(seen, 0, std::memory_order_acquire,  // [signal]
                                             std::memory_order_relaxed);          // nothing was taken
    }

    /// Whether a signal is remembered: a hint, for others may take it. Any agent.
    [[nodiscard]] bool is_set() const noexcept {
        return word_.load(std::memory_order_acquire) == signalled;  // [signal]
    }

    /// Forgets a signal that is remembered. Any agent.
    void reset() noexcept { static_cast<void>(try_wait()); }

    /// Blocks until a signal is taken, or a limit comes: `wait()`, `wait(limit, stop)`, `wait(stop)`. See detail::WaysToWait.
    ///
    /// Returns  `ok`; with limits also `timed_out` or `cancelled`. A signal that is there counts before a limit that has come.
    /// Cost     a load and a compare-exchange where a signal is there
    /// Threads  agents that may block.
    /// Throws   BlockingForbidden on an agent that may not, also if a signal is there: that is not taken
    using WaysToWait::wait;

    /// An awaitable, core::Await<Waiting>, that gives what `wait` returns, now or later, on this agent; with the same limits.
    ///
    /// Throws  NoExecutor, when awaited on a thread without an executor, or with a deadline on one that keeps no timers
    using WaysToWait::wait_async;

    /// The operation that `wait` does, for `select` and the drivers of `core`: it yields a WaitResult.
    Waiting waiting() noexcept { return Waiting(*this); }

private:
    // The word, by its bits. At most one of them is set: a signal is remembered only where no waiter could have it.
    //
    //     bit          means                                set by                      cleared by
    //     signalled    a signal is remembered               `set`; one that finds the   the one that takes the signal
    //                                                       queue empty, under its lock
    //     has_waiters  a waiter may be queued: never clear  a check that must wait,     a set that finds the queue empty, or
    //                  while one is                         under the queue's lock      leaves it so, under the queue's lock
    //
    // [last-touch] A set changes the word once at most, and touches the event no more: a `try_wait` may succeed from then
    // on, or the waiter that has the signal may return, and destroy the event. So with waiters the change is made when the first
    // is dequeued and not yet delivered, in the last call of the visitor.
    static constexpr std::uint32_t signalled = 1;
    static constexpr std::uint32_t has_waiters = 2;

    class Handoff;

    void hand_off() noexcept;
    bool try_wait_spinning() noexcept;
    static bool must_wait(void* word, std::uint64_t) noexcept;

    detail::Atomic<std::uint32_t> word_{0};
};

static_assert(sizeof(AutoResetEvent) == 4 && std::is_trivially_destructible_v<AutoResetEvent>);

// What threads and tasks do where they must wait is compiled once, in the library: see src/sync/awaits.cpp.
extern template WaitResult detail::WaysToWait<AutoResetEvent>::block(TimeLimit, const std::stop_token&);
extern template class core::Await<AutoResetEvent::Waiting>::Waiting;

}  // namespace futon

#include <futon/detail/end.hpp>
