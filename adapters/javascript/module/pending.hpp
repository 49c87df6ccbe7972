// SPDX-License-Identifier: MIT
#pragma once

#include <exception>
#include <utility>

#include <futon/atomics.hpp>
#include <futon/core/driver/block.hpp>
#include <futon/core/driver/operation_task.hpp>
#include <futon/core/loop/agent_waiter.hpp>
#include <futon/core/operation/operation.hpp>
#include <futon/core/operation/operation_waiter.hpp>
#include <futon/sync/async_lock.hpp>

#include "held_locks.hpp"
#include "this_thread.hpp"

namespace futon::javascript {

/// How a call or a promise has ended. RESULTS of src/module/program.js has the same order.
enum class Answer : int {
    ok,
    not_equal,
    timed_out,
    ended,   ///< the event loop has ended
    failed,  ///< JavaScript has been told the text
};

constexpr Answer to_answer(WaitResult result) noexcept {
    return result == WaitResult::cancelled ? Answer::ended : static_cast<Answer>(result);
}

static_assert(to_answer(WaitResult::ok) == Answer::ok && to_answer(WaitResult::not_equal) == Answer::not_equal &&
              to_answer(WaitResult::timed_out) == Answer::timed_out);

/// Tells JavaScript why a call has failed.
void tell_failure(const char* text) noexcept;

/// An answer and, if a lock was acquired, the number of its acquisition.
struct Outcome {
    Outcome(WaitResult result) noexcept : answer(to_answer(result)) {}

    /// From here on JavaScript owns the lock.
    Outcome(AsyncLock::Guard guard) noexcept : answer(to_answer(guard.result())) {
        AsyncLock* const lock = guard.release();
        if (lock == nullptr) return;
        try {
            acquisition = note_acquired(*lock);
        } catch (const std::exception& error) {
            lock->try_unlock();
            tell_failure(error.what());
            answer = Answer::failed;
        }
    }

    Answer answer;
    int acquisition = 0;
};

class Pending;

/// Tells JavaScript that the promise which it knows by this address is over. Implemented in JavaScript.
void settle(const Pending* pending, Outcome outcome) noexcept;

/// The wait behind a promise of JavaScript. It owns itself. It ends by telling JavaScript, never within the call that
/// made it; or by `cancel`.
///
/// Threads  only the thread that made it, and whose agent it waits for.
class Pending : public core::AgentWaiter {
public:
    explicit Pending(Agent& agent) : AgentWaiter(agent) { AgentWaiter::unref(); }

    /// Ends the wait for good, without telling JavaScript. Returns false if it is too late: the promise settles soon.
    virtual bool cancel() noexcept = 0;

    /// Whether it keeps the program running.
    void set_work(bool is_work) noexcept {
        if (std::exchange(is_work_, is_work) == is_work) return;
        if (is_work) {
            executor().work_started();
        } else {
            executor().work_finished();
        }
    }

protected:
    ~Pending() override { set_work(false); }

private:
    bool is_work_ = false;
};

/// The same for an operation.
template <core::Operation Op>
class PendingOperation final : public core::OperationTask<PendingOperation<Op>, Pending> {
    using Task = core::OperationTask<PendingOperation, Pending>;

public:
    PendingOperation(Op&& op, Deadline deadline, Agent& agent) : Task(agent), op_(std::move(op)), deadline_(deadline) {}

    /// Returns false if there is nothing to wait for; the caller must destroy it then.
    bool start() noexcept {
        return this->watch(core::enqueue<core::Caller::task>(op_, *this), deadline_) == core::Progress::queued;
    }

    Op& operation() noexcept { return op_; }

    /// A notify has counted a waiter that it woke, so that wait is no longer cancelled. A lock goes to the next waiter.
    bool cancel() noexcept override {
        if (this->withdraw()) {
            is_cancelled_ = true;
            on_teardown(false);
            return true;
        }
        if constexpr (core::wake_is_final<Op>) return false;
        is_cancelled_ = true;
        if (this->executor().retract(*this)) static_cast<Job&>(*this).discard();  // else it gives up when it arrives
        return true;
    }

    core::WaiterDescription describe() const noexcept override {
        core::WaiterDescription description = Task::describe();
        description.thread = number_of_thread_;
        return description;
    }

    ~PendingOperation() override { this->end(); }

private:
    void on_complete(WaitResult result) noexcept override {
        if (is_cancelled_) return give_up(result == WaitResult::ok);
        const core::Progress progress = this->proceed(result, deadline_);
        if (progress == core::Progress::queued) return;
        settle(this, op_.result(core::to_ending(progress)));
        delete this;
    }

    void on_teardown(bool was_woken) noexcept override {
        if (!is_cancelled_) settle(this, WaitResult::cancelled);
        give_up(was_woken);
    }

    void give_up(bool was_woken) noexcept {
        Task::give_up(was_woken);
        delete this;
    }

    Op op_;
    const Deadline deadline_;
    const std::int64_t number_of_thread_ = number_of_this_thread();
    bool is_cancelled_ = false;
};

/// The waiter of a thread that its JavaScript has blocked.
template <core::Operation Op>
class BlockedCall final : public core::BlockedOperation<Op> {
public:
    explicit BlockedCall(Op& op) noexcept : core::BlockedOperation<Op>(op, detail::this_agent()) {}

    core::WaiterDescription describe() const noexcept override {
        core::WaiterDescription description = core::BlockedOperation<Op>::describe();
        description.thread = number_of_thread_;
        return description;
    }

private:
    const std::int64_t number_of_thread_ = number_of_this_thread();
};

}  // namespace futon::javascript
