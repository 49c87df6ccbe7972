// SPDX-License-Identifier: MIT
#include <futon/event_loop.hpp>

#include <cstddef>
#include <system_error>
#include <utility>
#include <vector>

#include <futon/detail/atomic.hpp>
#include <futon/detail/contract.hpp>
#include <futon/detail/this_thread.hpp>

#include "agent/job_queue.hpp"
#include "agent/timer_wheel.hpp"
#include "platform/clock.hpp"
#include "platform/doorbell.hpp"

namespace futon {

struct EventLoop::Impl {
    /// Does nothing but wake the loop, for `stop`.
    struct WakeUp final : Job {
        void run() noexcept override { has_arrived = true; }
        void discard() noexcept override { has_arrived = true; }

        bool has_arrived = false;  // the loop's own thread
    };

    Impl(EventLoop& owner, CanBlock can_block) : loop(owner), agent(owner, can_block) {}

    // For any thread.
    JobQueue arrived;
    platform::Doorbell bell;
    detail::Atomic<bool> stop_requested{false};
    WakeUp wake_up_message;

    // For the loop's own thread.
    EventLoop& loop;
    JobList own;    // posted by the loop's own thread while nothing else had arrived: older than what arrives later
    JobList ready;  // to be run in this turn
    TimerWheel timers{platform::now()};
    std::vector<std::exception_ptr> unhandled;
    bool is_asleep = false;  // the queue says so, and who wakes it must ring
    bool has_descriptor = false;
    std::size_t work = 0;  // what keeps `run` from returning
    int depth = 0;         // of runs within runs
    Agent agent;

    /// Ends a sleep; takes the ring of whoever has ended it already.
    void wake_up() noexcept {
        if (std::exchange(is_asleep, false) && !arrived.wake_up()) bell.wait();
    }

    /// Posts without an atomic exchange, if this is the loop's own thread and nothing has arrived that would have to come
    /// first: a job whose post is ordered before this one is seen by the look.
    bool try_post_own(Job& job) noexcept {
        if (detail::this_agent_slot() != &agent || !arrived.is_empty()) return false;
        own.push_back(job);
        return true;
    }

    void take_posted() noexcept {
        ready.take_all(own);
        arrived.take_all(ready);
    }

    /// Moves what was posted to `ready`, and fires what is due. Returns whether there was anything.
    bool refill() noexcept {
        wake_up();
        take_posted();
        const bool has_fired = !timers.is_empty() && timers.advance(platform::now());
        return has_fired || !ready.is_empty();
    }

    /// Sleeps until a job arrives or a timer may be due.
    void sleep() noexcept {
        if (!arrived.fall_asleep()) return;
        is_asleep = true;
        const TimerWheel::TimePoint next = timers.next_moment();
        if (next == TimerWheel::TimePoint::max()) {
            bell.wait();
            is_asleep = false;
        } else if (bell.wait_until(next)) {
            is_asleep = false;
        } else {
            wake_up();
        }
    }

    /// Waits for a job that is certain to arrive.
    void await_arrival() noexcept {
        wake_up();
        if (own.is_empty() && arrived.fall_asleep()) bell.wait();
        take_posted();
    }

    /// Leaves the descriptor readable if there is something to do, and else so that it becomes so.
    void announce() noexcept {
        if (!has_descriptor || depth > 0) return;
        const bool is_idle =
            ready.is_empty() && own.is_empty() && unhandled.empty() && (is_asleep || arrived.fall_asleep());
        is_asleep = is_asleep || is_idle;
        bell.set_alarm(is_idle ? timers.next_moment() : TimerWheel::TimePoint::min());
    }

    void throw_unhandled() {
        if (unhandled.empty()) return;
        const std::exception_ptr first = unhandled.front();
        unhandled.erase(unhandled.begin());
        std::rethrow_exception(first);
    }

    /// Takes a stop, if there is one. Whoever stops the loop posts the wake_up_message after it has set the flag; that must have
    /// arrived before the loop may end.
    bool take_stop() noexcept {
        if (!stop_requested.load()) return false;
        if (!wake_up_message.has_arrived) loop.retract(wake_up_message);
        wake_up_message.has_arrived = false;
        stop_requested.store(false);
        return true;
    }

    /// Runs jobs until `is_done()` or, if `may_end`, until nothing can happen any more. Returns false if stopped.
    template <class IsDone>
    bool run(IsDone is_done, bool may_end) {
        const Running running(*this);
        while (true) {
            throw_unhandled();
            if (is_done()) return true;
            if (take_stop()) return false;
            if (!ready.is_empty()) {
                ready.pop_front().run();
            } else if (!refill()) {
                if (may_end && work == 0) return true;
                sleep();
            }
        }
    }

    /// Runs what is ready, and no more.
    void run_ready() {
        const Running running(*this);
        throw_unhandled();
        while (!ready.is_empty()) {
            ready.pop_front().run();
            throw_unhandled();
        }
    }

    /// Takes everything out that the loop was to run. What that destroys may post again; until nothing is left.
    void tear_down() noexcept {
        detail::expects(depth == 0, "an event loop is not destroyed by a job of its own");
        agent.is_ending_ = true;
        take_stop();
        while (true) {
            wake_up();
            take_posted();
            if (!ready.is_empty()) {
                ready.pop_front().discard();
                continue;
            }
            agent.abandon_all();
            if (!agent.waits_.is_alone()) {
                await_arrival();  // another thread has taken these out of their lines, and is about to post them
            } else if (Timer* timer = timers.pop_any()) {
                timer->discard();
            } else if (own.is_empty() && arrived.is_empty()) {
                return;
            }
        }
    }

    /// Jobs are being run. When the outermost run ends, the descriptor is brought up to date.
    class Running {
    public:
        explicit Running(Impl& impl) noexcept : impl_(impl) { ++impl_.depth; }
        ~Running() {
            --impl_.depth;
            impl_.announce();
        }
        Running(const Running&) = delete;
        Running& operator=(const Running&) = delete;

    private:
        Impl& impl_;
    };
};

namespace {

/// Learns that a promise has settled, in its turn among those who listen.
class SettledListener final : public detail::Reaction {
public:
    SettledListener(Agent& agent, detail::PromiseStateBase& promise) : Reaction(agent), promise_(promise) {
        promise.add_reaction(*this);
    }
    ~SettledListener() { detail::PromiseStateBase::remove_reaction(*this); }

    bool is_over() const noexcept { return has_settled_ || promise_->is_abandoned(); }

private:
    void run() noexcept override {
        detail::PromiseStateBase::mark_delivered(*this);
        has_settled_ = true;
    }
    void discard() noexcept override { detail::PromiseStateBase::mark_delivered(*this); }

    detail::StateRef<detail::PromiseStateBase> promise_;
    bool has_settled_ = false;
};

}  // namespace

EventLoop::EventLoop(CanBlock can_block) : impl_(std::make_unique<Impl>(*this, can_block)) {}

EventLoop::~EventLoop() {
    impl_->tear_down();
}

void EventLoop::run() {
    impl_->run([] { return false; }, true);
}

bool EventLoop::poll() {
    bool had_work = !impl_->ready.is_empty() || !impl_->unhandled.empty();
    if (!had_work) had_work = impl_->refill();
    impl_->run_ready();
    return had_work;
}

void EventLoop::run_until_settled(detail::PromiseStateBase& promise) {
    const SettledListener listener(impl_->agent, promise);
    const bool was_stopped = !impl_->run([&] { return listener.is_over(); }, false);
    if (was_stopped && !promise.is_settled())
        throw std::system_error(std::make_error_code(std::errc::operation_canceled),
                                "futon::EventLoop::run_until: the loop was stopped before the promise settled");
}

void EventLoop::stop() noexcept {
    if (!impl_->stop_requested.exchange(true)) post(impl_->wake_up_message);
}

NativeHandle EventLoop::native_handle() {
    impl_->wake_up();
    const NativeHandle handle = impl_->bell.native_handle();
    impl_->has_descriptor = true;
    impl_->announce();
    return handle;
}

void EventLoop::post(Job& job) noexcept {
    if (impl_->try_post_own(job)) return;
    if (impl_->arrived.push(job)) impl_->bell.ring();
}

bool EventLoop::retract(Job& job) noexcept {
    impl_->wake_up();
    impl_->take_posted();
    while (!impl_->ready.remove(job)) impl_->await_arrival();
    impl_->announce();
    return true;
}

void EventLoop::arm(Timer& timer, std::chrono::steady_clock::time_point moment) noexcept {
    impl_->timers.arm(timer, moment);
    if (impl_->has_descriptor && impl_->is_asleep) impl_->bell.set_alarm(impl_->timers.next_moment());
}

void EventLoop::disarm(Timer& timer) noexcept {
    impl_->timers.disarm(timer);
}

void EventLoop::report_unhandled(std::exception_ptr exception) noexcept {
    impl_->unhandled.push_back(std::move(exception));
    impl_->announce();
}

void EventLoop::arm_held(Timer& timer, Deadline deadline) noexcept {
    work_started();
    arm(timer, deadline.time_point());
}

void EventLoop::work_started() noexcept {
    ++impl_->work;
}

void EventLoop::work_finished() noexcept {
    --impl_->work;
}

}  // namespace futon
