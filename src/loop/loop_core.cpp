// SPDX-License-Identifier: MIT
#include "loop/loop_core.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include <futon/detail/contract.hpp>
#include <futon/detail/this_thread.hpp>

#include "platform/clock.hpp"
#include "platform/host.hpp"

namespace futon::detail {

using core::TimerWheel;

LoopCore::LoopCore(Executor& executor, CanBlock can_block, const char* name, std::function<void()> wake,
                   std::function<void(TimerWheel::TimePoint)> alarm)
    : name_(name),
      wake_(std::move(wake)),
      alarm_(std::move(alarm)),
      driver_(wake_ ? Driver::host : Driver::itself),
      timers_(platform::now()),
      agent_(executor, can_block) {
    memory_.serve(agent_);
    announce();
}

/// Wakes the loop. [last-touch] The token of the bell comes last: once it is taken, the loop may be destroyed. A waker needs no
/// loop: it comes after the token, which the loop may be waiting for before its host's call has returned here.
void LoopCore::ring() noexcept {
    if (waker_ != nullptr && !is_owned()) {
        const std::shared_ptr<core::HostWaker> waker = waker_;
        bell_.ring();
        return waker->wake();
    }
    if (is_owned() && driver_ == Driver::thread) set_alive(true);
    if (wake_) call_host();
    bell_.ring();
}

/// Makes the host poll. One that ends by itself waits for what this thread has posted, but not for other threads, which may
/// post at any time.
void LoopCore::call_host() noexcept {
    if (is_owned()) {
        is_awaited_ = true;
        refresh_alive();
    }
    wake_();
}

/// Ends a sleep. If a thread has ended it already, its token stays in the bell, whose handle is readable meanwhile.
void LoopCore::open() noexcept {
    if (sleep_ == Sleep::asleep) sleep_ = arrived_.wake_up() ? Sleep::awake : Sleep::rung;
}

/// Takes the token that is owed: before the next sleep, and before the end.
void LoopCore::take_token() noexcept {
    if (sleep_ != Sleep::rung) return;
    sleep_ = Sleep::awake;
    if (!is_inherited()) bell_.wait();
}

/// Returns false if something has arrived. Else what arrives from now on rings; it may have rung already.
bool LoopCore::fall_asleep() noexcept {
    take_token();
    expects(sleep_ == Sleep::awake, "a loop that sleeps does not fall asleep");
    if (!arrived_.fall_asleep()) return false;
    sleep_ = Sleep::asleep;
    return true;
}

/// Posts without an atomic exchange, if this is the loop's own thread and nothing has arrived that would have to come
/// first: a job whose post is ordered before this one is seen here.
bool LoopCore::try_post_own(Job& job) noexcept {
    if (this_agent() != &agent_ || !arrived_.is_empty()) return false;
    own_.push_back(job);
    return true;
}

void LoopCore::post(Job& job) noexcept {
    if (!try_post_own(job)) post_from_anywhere(job);
}

void LoopCore::post_from_anywhere(Job& job) noexcept {
    if (arrived_.push(job) && !is_inherited()) ring();
}

void LoopCore::post_to_run(Job& job) {
    require_parent("post");
    post(job);
}

bool LoopCore::retract(Job& job) noexcept {
    while (!retract_posted(job)) {
        if (is_inherited()) return true;  // the thread that was about to post it is not in this process
        await_arrival();
    }
    return true;
}

bool LoopCore::retract_posted(Job& job) noexcept {
    expects(is_owned(), "an executor's jobs are retracted on its own thread");
    take_posted();
    if (!ready_.remove(job)) return false;
    if (!is_surely_called()) announce();
    return true;
}

void LoopCore::disarm(Timer& timer) noexcept {
    expects(is_owned(), "a loop's timers are disarmed on the thread that made it");
    timers_.disarm(timer);
}

void LoopCore::arm(Timer& timer, TimerWheel::TimePoint time) noexcept {
    expect_home("a loop's timers are armed on the thread that made it");
    const TimerWheel::TimePoint next = timers_.next_deadline();
    timers_.arm(timer, time);
    if (sleep_ != Sleep::asleep || (driver_ == Driver::thread && is_running())) return;
    if (has_bell_alarm()) bell_.set_alarm(timers_.next_deadline());
    if (alarm_) {
        if (timers_.next_deadline() < next) set_host_alarm();
        return;
    }
    const bool polls_again = is_running() && is_called_;
    if (driver_ == Driver::host && timers_.next_deadline() < next && !polls_again) {
        is_called_ = true;  // the host sleeps for longer than it may now
        call_host();
    }
}

void LoopCore::report_unhandled(std::exception_ptr exception) noexcept {
    unhandled_.push(std::move(exception));
    if (!is_surely_called()) announce();
}

void LoopCore::look_for_due() noexcept {
    timers_.set_time(platform::now());
    has_due_ = timers_.may_have_due();
}

/// Fires one timer that is due. Returns whether there was one.
bool LoopCore::fire_next() noexcept {
    is_timers_turn_ = false;
    Timer* timer = timers_.pop_due();
    if (timer == nullptr) return has_due_ = false;
    begin_job();
    core::probe::job_begins();
    timer->fire();
    core::probe::job_ends();
    return true;
}

/// Sleeps until a job arrives or a timer may be due.
void LoopCore::sleep() noexcept {
    if (agent_.pace().is_wanted()) agent_.pace().fall_asleep(core::Pace::now());
    const TimerWheel::TimePoint next = timers_.next_deadline();
    if (next_sleep_.spin(next, [this] { return !arrived_.is_empty(); }) || !fall_asleep()) return;
    if (next == TimerWheel::TimePoint::max()) {
        bell_.wait();
    } else if (!bell_.wait_until(next)) {
        next_sleep_.timed_out();
        return open();
    }
    sleep_ = Sleep::awake;
    next_sleep_.woken();
}

/// Waits for a job that is certain to arrive.
void LoopCore::await_arrival() noexcept {
    open();
    if (own_.is_empty() && fall_asleep()) {
        bell_.wait();
        sleep_ = Sleep::awake;
    }
    take_posted();
}

/// Leaves the host so that it polls when there is something to do, and only then: its handle readable, or its `wake`
/// called. Also while a job runs, for a job may run its host's loop, which then waits for this.
void LoopCore::announce() noexcept {
    if (driver_ == Driver::itself || is_inherited()) return;
    if (driver_ == Driver::thread) {
        if (is_running()) return;  // once the jobs have run: no turn begins before
        refresh_alive();
    }
    if (has_own_jobs() || timers_.may_have_due()) return announce_own();
    if (sleep_ != Sleep::asleep && (!arrived_.is_empty() || !fall_asleep())) return announce_own();
    if (has_bell_alarm()) bell_.set_alarm(next_alarm());
    if (alarm_) set_host_alarm();
}

/// Sees to it that the host's timer is armed for the next of the loop's. [alarm]
void LoopCore::set_host_alarm() noexcept {
    const TimerWheel::TimePoint next = timers_.next_deadline();
    if (std::exchange(alarm_time_, next) != next) alarm_(next);
}

/// There is something to do that no thread has rung for.
void LoopCore::announce_own() noexcept {
    if (driver_ == Driver::handle) {
        keep_readable();
    } else if (driver_ == Driver::thread) {
        bell_.set_alarm(TimerWheel::TimePoint::min());
    } else if (!std::exchange(is_called_, true)) {
        call_host();
    }
}

/// Makes the handle readable, if it is not.
void LoopCore::keep_readable() noexcept {
    if (sleep_ != Sleep::rung) bell_.set_alarm(TimerWheel::TimePoint::min());
}

void LoopCore::set_unhandled_handler(std::function<void(std::exception_ptr)> handler) {
    using Handler = std::function<void(std::exception_ptr)>;
    // Not by std::make_shared: with that libstdc++ has a variable that is one in the process, which keeps plugins loaded.
    unhandled_handler_.reset(handler ? new const Handler(std::move(handler)) : nullptr);
}

/// Gives what is unhandled to the handler; throws the first where there is none, or what the handler throws.
void LoopCore::deal_with_unhandled() {
    while (!unhandled_.is_empty()) {
        const std::exception_ptr first = unhandled_.pop();
        const auto handler = unhandled_handler_;  // which may set another one
        if (handler == nullptr) std::rethrow_exception(first);
        *agent_.slot_ = &agent_;
        (*handler)(first);
    }
}

void LoopCore::throw_not_at_home(const char* function) const {
    constexpr const char* thread_rule = "a loop belongs to the thread that made it; other threads post to it";
    throw std::logic_error(std::string(name_) + "::" + function + ": " + (is_inherited() ? fork_rule : thread_rule));
}

bool LoopCore::run_ready(const char* function, std::chrono::nanoseconds budget) {
    require_home(function);
    const Running running(*this);
    is_called_ = is_awaited_ = false;
    bool had_work = !unhandled_.is_empty();
    refill();
    // The host was called for nothing.
    if (!has_gathered() && driver_ == Driver::handle && sleep_ != Sleep::rung) bell_.clear();
    throw_unhandled();
    TurnLimit limit(budget);
    const auto goes_on = [&] {
        had_work = true;
        require_parent(function);
        throw_unhandled();
        return budget == unlimited || !limit.is_over();
    };
    // What a deadline ends goes on in the same call: so timers come first, unless jobs have had no time in the last one.
    const bool are_jobs_first = std::exchange(has_run_out_for_jobs_, false);
    if (has_due_ && !are_jobs_first) {
        while (!is_left() && fire_next()) {
            if (goes_on()) continue;
            has_run_out_for_jobs_ = true;
            return true;
        }
        take_posted();
    }
    while (!is_left() && run_next() && goes_on()) {
    }
    return had_work;
}

TimerWheel::TimePoint LoopCore::next_deadline() const noexcept {
    return has_jobs() || sleep_ != Sleep::asleep ? TimerWheel::TimePoint::min() : timers_.next_deadline();
}

NativeHandle LoopCore::native_handle() {
    open();
    take_token();
    const NativeHandle handle = bell_.native_handle();
    driver_ = Driver::handle;
    announce();
    return handle;
}

void LoopCore::enter_host(void (*turn)(void*) noexcept, void* context) {
    open();
    take_token();
    platform::Host::listen(bell_, turn, context);
    driver_ = Driver::thread;
    announce();
}

void LoopCore::leave_host() noexcept {
    if (driver_ != Driver::thread) return;
    set_alive(false);
    driver_ = Driver::itself;
    platform::Host::unlisten(bell_);
    engine_pace_.forget();
    next_look_ = TimerWheel::TimePoint::max();
}

/// A job of the engine may have begun a wait: if arbiters ask, the end of that job is told.
void LoopCore::work_started_in_host() noexcept {
    tell_alive();
    if (driver_ != Driver::thread || is_running() || !agent_.pace().is_wanted()) return;
    engine_pace_.enter(core::Pace::now());
    bell_.set_alarm(TimerWheel::TimePoint::min());
}

void LoopCore::end_engine_turn() noexcept {
    next_look_ = TimerWheel::TimePoint::max();
    if (!agent_.pace().is_wanted()) return engine_pace_.forget();
    const core::Pace::Time delay = engine_pace_.end_turn(core::Pace::now(), !agent_.waits_.is_alone());
    if (delay != EnginePace::never) next_look_ = platform::now() + std::chrono::nanoseconds(delay);
}

/// While jobs run the thread's own loop is told once, when they have run.
void LoopCore::tell_alive() noexcept {
    if (driver_ == Driver::host) {
        set_alive(!has_ended() && (is_kept_running() || is_awaited_));
    } else if (!is_running()) {
        set_alive(has_work());
    }
}

void LoopCore::set_alive(bool is_alive) noexcept {
    if (std::exchange(is_alive_, is_alive) == is_alive) return;
    if (driver_ == Driver::thread) platform::Host::keep_alive(bell_, is_alive);
    if (keep_alive_) keep_alive_(is_alive);
}

void LoopCore::tear_down() noexcept {
    expects(is_owned(), "an agent ends on the thread that made it");
    expects(!is_running() || is_inherited(), "an event loop is not destroyed by a job of its own");
    leave_host();
    std::optional<CurrentAgent> current;
    if (!is_inherited()) current.emplace(agent_);
    agent_.is_ending_ = true;
    while (true) {
        take_posted();
        if (!ready_.is_empty()) {
            ready_.pop_front().discard();
            continue;
        }
        agent_.abandon_all();
        if (is_inherited()) take_posted();  // [fork] what did not arrive by now never will
        if (!ready_.is_empty()) continue;   // what ended has retracted a job, and so moved all that had arrived
        if (!agent_.waits_.is_alone() && is_inherited()) {
            agent_.discard_undelivered();
        } else if (!agent_.waits_.is_alone()) {
            await_arrival();  // another thread has dequeued these, and is about to post them [owner]
        } else if (Timer* timer = timers_.pop_any()) {
            timer->discard();
        } else if (own_.is_empty() && arrived_.is_empty()) {
            break;
        }
    }
    take_token();
    life_ = Life::ended;
    refresh_alive();
}

}  // namespace futon::detail
