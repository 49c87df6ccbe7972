// SPDX-License-Identifier: MIT
#include "agent/loop_core.hpp"

#include <utility>

#include <futon/detail/contract.hpp>
#include <futon/detail/this_thread.hpp>

#include "platform/clock.hpp"

namespace futon::detail {

using core::TimerWheel;

LoopCore::LoopCore(Executor& executor, CanBlock can_block, std::function<void()> wake)
    : wake_(std::move(wake)), timers_(platform::now()), agent_(executor, can_block) {
    announce();
}

/// Wakes the loop. [last-touch] The token of the bell comes last: once it is taken, the loop may be destroyed.
void LoopCore::ring() noexcept {
    if (wake_) wake_();
    bell_.ring();
}

/// Ends a sleep; takes the token of the thread that has ended it already.
void LoopCore::wake_up() noexcept {
    if (std::exchange(is_asleep_, false) && !arrived_.wake_up()) bell_.wait();
}

/// Posts without an atomic exchange, if this is the loop's own thread and nothing has arrived that would have to come
/// first: a job whose post is ordered before this one is seen here.
bool LoopCore::try_post_own(Job& job) noexcept {
    if (this_agent() != &agent_ || !arrived_.is_empty()) return false;
    own_.push_back(job);
    return true;
}

void LoopCore::post(Job& job) noexcept {
    if (try_post_own(job)) return;
    if (arrived_.push(job)) ring();
}

bool LoopCore::retract(Job& job) noexcept {
    wake_up();
    take_posted();
    while (!ready_.remove(job)) await_arrival();
    announce();
    return true;
}

void LoopCore::arm(Timer& timer, TimerWheel::TimePoint time) noexcept {
    const TimerWheel::TimePoint next = timers_.next_deadline();
    timers_.arm(timer, time);
    if (!is_asleep_) return;
    if (has_handle_) bell_.set_alarm(timers_.next_deadline());
    if (wake_ && timers_.next_deadline() < next) wake_();  // the host sleeps for longer than it may now
}

void LoopCore::report_unhandled(std::exception_ptr exception) noexcept {
    unhandled_.push_back(std::move(exception));
    announce();
}

void LoopCore::take_posted() noexcept {
    ready_.take_all(own_);
    arrived_.take_all(ready_);
}

/// Moves what was posted to `ready_`, and fires what is due. Returns whether there was anything.
bool LoopCore::refill() noexcept {
    wake_up();
    take_posted();
    const bool has_fired = !timers_.is_empty() && timers_.advance(platform::now());
    return has_fired || !ready_.is_empty();
}

/// Sleeps until a job arrives or a timer may be due.
void LoopCore::sleep() noexcept {
    if (!arrived_.fall_asleep()) return;
    is_asleep_ = true;
    const TimerWheel::TimePoint next = timers_.next_deadline();
    if (next == TimerWheel::TimePoint::max()) {
        bell_.wait();
        is_asleep_ = false;
    } else if (bell_.wait_until(next)) {
        is_asleep_ = false;
    } else {
        wake_up();
    }
}

/// Waits for a job that is certain to arrive.
void LoopCore::await_arrival() noexcept {
    wake_up();
    if (own_.is_empty() && arrived_.fall_asleep()) bell_.wait();
    take_posted();
}

/// Leaves the host so that it polls when there is something to do: its handle readable, or its `wake` called.
void LoopCore::announce() noexcept {
    if ((!has_handle_ && !wake_) || depth_ > 0) return;
    const bool is_idle = !has_jobs() && (is_asleep_ || arrived_.fall_asleep());
    is_asleep_ = is_asleep_ || is_idle;
    if (has_handle_) bell_.set_alarm(is_idle ? timers_.next_deadline() : TimerWheel::TimePoint::min());
    if (wake_ && !is_idle) wake_();
}

void LoopCore::throw_first_unhandled() {
    const std::exception_ptr first = unhandled_.front();
    unhandled_.erase(unhandled_.begin());
    std::rethrow_exception(first);
}

bool LoopCore::poll() {
    const Running running(*this);
    bool had_work = !ready_.is_empty() || !unhandled_.empty();
    if (!had_work) had_work = refill();
    throw_unhandled();
    while (!ready_.is_empty()) {
        ready_.pop_front().run();
        throw_unhandled();
    }
    return had_work;
}

TimerWheel::TimePoint LoopCore::next_deadline() const noexcept {
    return has_jobs() || !is_asleep_ ? TimerWheel::TimePoint::min() : timers_.next_deadline();
}

NativeHandle LoopCore::native_handle() {
    wake_up();
    const NativeHandle handle = bell_.native_handle();
    has_handle_ = true;
    announce();
    return handle;
}

void LoopCore::tear_down() noexcept {
    expects(depth_ == 0, "an event loop is not destroyed by a job of its own");
    agent_.is_ending_ = true;
    while (true) {
        wake_up();
        take_posted();
        if (!ready_.is_empty()) {
            ready_.pop_front().discard();
            continue;
        }
        agent_.abandon_all();
        if (!ready_.is_empty()) continue;  // what ended has retracted a job, and so moved all that had arrived
        if (!agent_.waits_.is_alone()) {
            await_arrival();  // another thread has dequeued these, and is about to post them [owner]
        } else if (Timer* timer = timers_.pop_any()) {
            timer->discard();
        } else if (own_.is_empty() && arrived_.is_empty()) {
            return;
        }
    }
}

}  // namespace futon::detail
