// SPDX-License-Identifier: MIT
#include <futon/core/loop/hosted_loop.hpp>

#include <futon/detail/contract.hpp>
#include <futon/detail/this_thread.hpp>

#include "loop/loop_core.hpp"

namespace futon::core {

HostedLoop::HostedLoop(CanBlock can_block, const char* name)
    : LoopExecutor([this]() noexcept { wake(); }, [this](TimePoint time) noexcept { set_timer(time); }, can_block,
                   name),
      pace_(loop().agent().pace()) {
    loop().set_keep_alive([this](bool is_alive) noexcept { keep_alive(is_alive); });
}

HostedLoop::~HostedLoop() {
    detail::expects(loop().has_ended() || !has_work(),
                    "a class derived from HostedLoop calls finish in its destructor");
    loop().set_keep_alive(nullptr);
}

HostWaker::~HostWaker() = default;

void HostedLoop::set_waker(std::shared_ptr<HostWaker> waker) noexcept {
    loop().set_waker(std::move(waker));
}

void HostedLoop::finish() noexcept {
    detail::expects(!loop().is_running(),
                    "a hosted loop is not destroyed by a job of its own, unless its owner's deleter is Ender");
    host_woke();
    loop().tear_down();
    set_timer(TimePoint::max());
}

void HostedLoop::Ender::operator()(HostedLoop* loop) const noexcept {
    // Another thread may not ask which loop runs: its delete names the rule.
    if (!loop->loop().is_owned() || !loop->loop().is_running()) {
        delete loop;
    } else {
        loop->loop().leave();
        loop->close();
    }
}

void HostedLoop::run_ready() noexcept {
    if (loop().is_left()) return;  // the job ran a host's loop, which has ended this
    if (is_wanted()) pace_.look(Pace::now());
    loop().run_ready("run_ready", detail::TurnLimit::usual);  // the host's own events must not wait for all jobs
    if (loop().is_left() && !loop().is_running()) delete this;
}

void HostedLoop::timer_fired() noexcept {
    loop().alarm_has_fired();
    run_ready();
}

void HostedLoop::host_sleeps() noexcept {
    if (is_wanted()) pace_.fall_asleep(Pace::now(), loop().is_kept_running());
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

}  // namespace futon::core
