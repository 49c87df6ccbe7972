// SPDX-License-Identifier: MIT
#include <futon/core/loop/hosted_loop.hpp>

#include <futon/detail/contract.hpp>
#include <futon/detail/this_thread.hpp>

#include "loop/loop_core.hpp"

namespace futon::core {

HostedLoop::HostedLoop(CanBlock can_block, const char* name)
    : LoopExecutor([this]() noexcept { called(); }, [this](TimePoint time) noexcept { set_timer(time); }, can_block,
                   name),
      home_(&detail::this_agent_slot()),
      pace_(loop().agent().pace()) {}

HostedLoop::~HostedLoop() {
    detail::expects(is_finished_ || !has_work(), "a class derived from HostedLoop calls finish in its destructor");
}

HostWaker::~HostWaker() = default;

void HostedLoop::set_waker(std::shared_ptr<HostWaker> waker) noexcept {
    loop().set_waker(std::move(waker));
}

void HostedLoop::finish() noexcept {
    detail::expects(running_ == 0,
                    "a hosted loop is not destroyed by a job of its own, unless its owner's deleter is Ender");
    host_woke();
    loop().tear_down();
    is_finished_ = true;
    set_timer(TimePoint::max());
    work_ = 0;
    is_called_ = false;
    refresh();
}

void HostedLoop::Ender::operator()(HostedLoop* loop) const noexcept {
    // Another thread may not ask which loop runs: its delete names the rule.
    if (loop->home_ != &detail::this_agent_slot() || loop->running_ == 0) {
        delete loop;
    } else {
        loop->is_left_ = true;
        loop->loop().leave();
        loop->close();
    }
}

void HostedLoop::run_ready() noexcept {
    if (is_left_) return;  // the job ran a host's loop, which has ended this
    is_called_ = false;
    if (is_wanted()) pace_.look(Pace::now());
    ++running_;
    loop().run_ready("run_ready", detail::LoopCore::usual_turn);  // the host's own events must not wait for all jobs
    --running_;
    if (!is_left_) return refresh();
    if (running_ == 0) delete this;
}

void HostedLoop::timer_fired() noexcept {
    loop().alarm_has_fired();
    run_ready();
}

void HostedLoop::host_sleeps() noexcept {
    if (is_wanted()) pace_.fall_asleep(Pace::now(), work_ > 0);
}

void HostedLoop::host_woke() noexcept {
    if (pace_.is_polling()) pace_.wake_up_now(Pace::now());
}

bool HostedLoop::should_look() noexcept {
    if (!is_wanted()) return false;
    const Pace::Time now = Pace::now();
    if (now - asked_to_look_ < PollPace::least_turn) return false;
    asked_to_look_ = now;
    return true;
}

/// What was told is forgotten with the question.
bool HostedLoop::is_wanted() noexcept {
    if (pace_.is_wanted() && loop().is_at_home()) return true;
    pace_.forget();
    return false;
}

void HostedLoop::work_started() noexcept {
    LoopExecutor::work_started();
    if (work_++ == 0) refresh();
}

void HostedLoop::work_finished() noexcept {
    LoopExecutor::work_finished();
    if (--work_ == 0) refresh();
}

/// There is something to run. A host that has nothing else to do waits for what this thread has posted, but not for
/// other threads, which may post at any time.
void HostedLoop::called() noexcept {
    if (home_ == &detail::this_agent_slot()) {
        is_called_ = true;
        refresh();
    }
    wake();
}

void HostedLoop::refresh() noexcept {
    const bool is_alive = work_ > 0 || is_called_;
    if (std::exchange(is_alive_, is_alive) != is_alive) keep_alive(is_alive);
}

}  // namespace futon::core
