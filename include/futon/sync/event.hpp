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

/// A flag that stays set: `set` releases all waiters, and waits return at once until `reset`.
///
///     futon::Event ready;
///     ready.set();                               // any agent
///     ready.wait();                              // a thread that may block
///     co_await ready.wait_async(5ms);            // a coroutine
///
/// Four bytes, zero while it is not set: it can be a member, a global, or lie in a SharedArrayBuffer. To release one
/// waiter for each set, use `AutoResetEvent`.
///
/// | to wait for it    | threads and tasks that may | if it is not set           |
/// |-------------------|----------------------------|----------------------------|
/// | wait              | agents that may block      | blocks                     |
/// | try_wait, is_set  | any                        | returns false              |
/// | wait_async        | coroutines                 | the coroutine is suspended |
/// | waiting           | drivers, `select`          | the driver decides         |
///
/// Fairness  a set releases all queued waiters, in queue order. They stay released even if a reset follows at once: a
///           released waiter does not look at the event again.
/// Ordering  everything before a set, even of an event that is set already, happens before everything after the waits
///           that it ends, and after the reset that undoes it.
/// Lifetime  a set does not touch the event after a waiter or a `try_wait` could have seen it, so the caller of either
///           may destroy the event.
/// Requires  the event is neither destroyed nor moved while a waiter is queued.
class FUTON_API Event : public detail::WaysToWait<Event> {
public:
    /// "Wait until it is set" as an operation.
    class FUTON_API FUTON_WARN_UNUSED Waiting : public detail::WaitingForState {
    public:
        static constexpr const char* name = "futon::Event::wait";

        explicit Waiting(Event& event) noexcept : event_(event) {}
        const void* key() const noexcept { return event_.get(); }
        bool try_now() const noexcept { return event_->is_set(); }
        bool try_spinning() const noexcept { return event_->is_set_spinning(); }
        core::WaitCheck check() const noexcept { return {&event_->word_, 0, &Event::must_wait, core::FoundBy::note}; }

    private:
        core::Target<Event> event_;
    };

    constexpr Event() noexcept = default;
    constexpr explicit Event(bool is_set_at_first) noexcept : word_(is_set_at_first ? signalled : 0) {}
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;

    /// Returns the event that lies in a buffer. All views of the same bytes are the same event; nothing but events may
    /// wait there.
    ///
    /// Throws  std::out_of_range if `byte_offset` is not a multiple of four, or the event would end outside the buffer
    template <std::same_as<SharedArrayBuffer> Buffer>  // so that this header need not include it
    static Event& at(Buffer& buffer, std::size_t byte_offset = 0) {
        return detail::object_at<Event>(buffer, byte_offset);
    }

    /// Sets the event and releases all its waiters. Any agent.
    ///
    /// Cost  a compare-exchange if no waiter is queued; else the queue's lock, once for every 128 waiters, then a
    ///       delivery for each
    void set() noexcept {
        std::uint32_t seen = word_.load(std::memory_order_relaxed);  // the exchange decides
        // The exchange is needed even if the event is set already: it orders what came before each set. [last-touch]
        // The exchange.
        while ((seen & has_waiters) == 0)
            if (word_.compare_exchange_weak(seen, signalled, std::memory_order_release,  // [signal]
                                            std::memory_order_relaxed))                  // the loop retries
                return;
        release_all();
    }

    /// Clears the event: later waits wait again. Waiters that a set released stay released. Any agent.
    void reset() noexcept { word_.fetch_and(~signalled, std::memory_order_acquire); }  // [signal]

    /// Whether it is set. If it returns true, it orders like a wait. Any agent.
    bool is_set() const noexcept { return (word_.load(std::memory_order_acquire) & signalled) != 0; }  // [signal]
    [[nodiscard]] bool try_wait() const noexcept { return is_set(); }

    /// Blocks until the event is set or the limits are over: `wait()`, `wait(limits)`. See
    /// detail::WaysToWait.
    ///
    /// Returns  `ok`; with limits also `timed_out` or `cancelled`. An event that is set wins over limits that are
    ///          over.
    /// Cost     two loads if it is set
    /// Threads  agents that may block.
    /// Throws   BlockingForbidden if the agent may not block, even if the event is set
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
    // The word, by its bits. At most one of them is set.
    //
    //     bit          means                                set by                       cleared by
    //     signalled    the event is set                     `set`; with waiters, under   `reset`
    //                                                       the queue's lock
    //     has_waiters  a waiter may be queued: never clear  a check that must wait,      a set, under the queue's lock,
    //                  while one is                         under the queue's lock       which empties the queue
    //
    // [last-touch] A set changes the word once, to `signalled`, and does not touch the event after that: from then on a
    // `try_wait` on another thread may succeed, and its caller may destroy the event while the set still returns or
    // delivers. So if waiters are queued, the word changes after all of them are dequeued, in the last call of the
    // visitor.
    static constexpr std::uint32_t signalled = 1;
    static constexpr std::uint32_t has_waiters = 2;

    void release_all() noexcept;
    bool is_set_spinning() const noexcept;
    static bool must_wait(void* word, std::uint64_t) noexcept;

    detail::Atomic<std::uint32_t> word_{0};
    [[no_unique_address]] core::probe::Lifetime lifetime_;
};

static_assert(sizeof(Event) == 4 && (std::is_trivially_destructible_v<Event> || core::probe::is_enabled));

// The waiting code is compiled once, in the library: see src/sync/awaits.cpp.
extern template WaitResult detail::WaysToWait<Event>::block(const Limits&);
extern template class core::Await<Event::Waiting>::Waiting;

}  // namespace futon

#include <futon/detail/end.hpp>
