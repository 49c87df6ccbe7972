// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstdint>

#include <futon/core/queue/async_waiter.hpp>
#include <futon/core/queue/wait_table.hpp>
#include <futon/detail/atomic.hpp>
#include <futon/detail/export.hpp>
#include <futon/executor.hpp>

namespace futon::core {

/// An asynchronous waiter for an executor without an agent: a strand, whose jobs run on changing threads, or a thread
/// pool, whose jobs run in parallel. Drivers of such waits derive from it.
///
/// A wait begins in two steps: the waiter is enqueued, then its deadline and its stop token are watched. On a thread
/// pool the completion may run before both are done. So the thread that begins the wait calls `hand_over` after the
/// last step. The wait is completed by whichever is later: that call, or the completion's job. [hand-over]
///
///     Progress progress = core::begin<Caller::task>(op, *this, until);   // enqueues it
///     while (progress == Progress::queued) {
///         limits.start(until);
///         const Delivery delivery = hand_over();
///         if (delivery == Delivery::to_come) return;                              // touches nothing any more
///         limits.stop();
///         if (delivery == Delivery::discarded) return give_up();                  // the executor has ended
///         progress = core::proceed<Caller::task>(op, *this, result(), until);
///     }
///
/// Threads   `finish`: any. Everything else: the threads of the executor's jobs, one at a time; any thread if the
///           executor overrides only `post`.
/// Requires  the wait ends before the executor does.
/// Cost      80 bytes of its own, a post for each wake-up, two atomic steps for each wait.
class FUTON_API ExecutorWaiter : public AsyncWaiter {
public:
    explicit ExecutorWaiter(Executor& executor) noexcept : AsyncWaiter(executor) {}

    /// Enqueues it if the check says that it must wait. If it is queued, call `hand_over` afterwards.
    EnqueueResult enqueue(WaitQueues& table, const WaitCheck& check, Place place = Place::tail) noexcept;

    WaiterDescription describe() const noexcept override { return {WaiterDescription::Kind::task}; }

protected:
    ~ExecutorWaiter() override {
        if (is_waiting()) end();
    }

    /// What happened to the wait before `hand_over`.
    enum class Delivery : std::uint8_t {
        to_come,    ///< the completion will run, or runs already: the waiter may be gone
        came,       ///< its job has run, and left the completion to the caller
        discarded,  ///< its job was discarded, and left the end to the caller
    };

    /// Ends the beginning of a wait. Called once after each enqueueing, when all limits are being watched.
    Delivery hand_over() noexcept;

    /// Where `end` found the wait.
    enum class Found : std::uint8_t {
        idle,    ///< the wait had ended, or never begun
        queued,  ///< this call took it out of its queue
        woken,  ///< a waker had dequeued it, and its completion never ran: the caller must pass on what the wake-up was for
    };

    /// Whether the wait has begun and not ended.
    bool is_waiting() const noexcept { return phase_.load() != Phase::idle; }

    /// Takes the waiter back from wherever it is. A class that overrides `leave` calls this in its most derived
    /// destructor, if the wait has not ended.
    ///
    /// Requires  its job neither runs nor will run meanwhile. If the job is posted, the executor can retract it.
    Found end() noexcept;

private:
    enum class Phase : std::uint8_t {
        idle,       // in no wait; completed
        beginning,  // enqueued, or about to be; the thread that begins is still at work
        waiting,    // left to its delivery
        delivered,  // its job came during the beginning
        discarded,  // its job was discarded during the beginning
    };

    void run() noexcept final;
    void discard() noexcept final;

    /// Whether the job must complete the wait. If not, this was the last touch of the waiter.
    bool arrive(Phase phase) noexcept;

    detail::Atomic<Phase> phase_{Phase::idle};
};

}  // namespace futon::core

#include <futon/detail/end.hpp>
