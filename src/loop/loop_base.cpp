// SPDX-License-Identifier: MIT
#include <futon/core/loop/loop_base.hpp>

#include <stdexcept>
#include <utility>

#include <futon/core/loop/loop_executor.hpp>
#include <futon/detail/contract.hpp>
#include <futon/detail/this_thread.hpp>

#include "loop/loop_core.hpp"

namespace futon {

namespace detail {

TimedJob::TimedJob(Executor& executor) noexcept : executor_(executor), home_(&this_agent_slot()) {}

bool TimedJob::cancel() {
    if (home_ != &this_agent_slot())
        throw std::logic_error("futon::TimerHandle::cancel: a timer is cancelled on its loop's own thread");
    if (!is_pending_) return false;
    executor_.disarm(*this);
    executor_.work_finished();
    discard();
    return true;
}

void TimedJob::discard() noexcept {
    is_pending_ = false;
    drop();
    release();
}

void TimedJob::begin_firing() noexcept {
    is_pending_ = false;
    executor_.work_finished();
}

}  // namespace detail

/// Ends the work of a guard: a job, so that any thread can drop the guard without an allocation.
class FUTON_LOCAL WorkGuard::End final : public Job {
public:
    explicit End(core::LoopBase& loop) noexcept : loop_(loop) { loop_.work_started(); }

    void drop() noexcept {
        if (loop_.loop_->is_at_home()) {
            run();
        } else {
            loop_.post(*this);
        }
    }

    void run() noexcept override {
        loop_.work_finished();
        delete this;
    }
    void discard() noexcept override { run(); }

private:
    core::LoopBase& loop_;
};

void WorkGuard::reset() noexcept {
    if (End* const end = std::exchange(end_, nullptr)) end->drop();
}

namespace core {

LoopBase::LoopBase(CanBlock can_block, const char* name, std::function<void()> wake,
                   std::function<void(std::chrono::steady_clock::time_point)> alarm)
    : loop_(std::make_unique<detail::LoopCore>(*this, can_block, name, std::move(wake), std::move(alarm))) {}

LoopBase::~LoopBase() {
    loop_->tear_down();
}

void LoopBase::require_home(const char* function) const {
    loop_->require_home(function);
}

void LoopBase::set_unhandled_handler(std::function<void(std::exception_ptr)> handler) {
    loop_->require_home("set_unhandled_handler");
    loop_->set_unhandled_handler(std::move(handler));
}

WorkGuard LoopBase::keep_running() {
    loop_->require_home("keep_running");
    return WorkGuard(*new WorkGuard::End(*this));
}

void LoopBase::close() {
    loop_->require_home("close");
    loop_->agent().close();
}

bool LoopBase::is_closed() const noexcept {
    detail::expects(loop_->is_at_home(), "a loop is asked whether it is closed on the thread that made it");
    return loop_->agent().is_closed();
}

void LoopBase::post(Job& job) noexcept {
    loop_->post(job);
}

void LoopBase::post_to_run(Job& job) {
    try {
        loop_->post_to_run(job);
    } catch (...) {
        job.discard();
        throw;
    }
}

bool LoopBase::retract(Job& job) noexcept {
    return loop_->retract(job);
}

bool LoopBase::retract_posted(Job& job) noexcept {
    return loop_->retract_posted(job);
}

void LoopBase::arm(Timer& timer, std::chrono::steady_clock::time_point time) noexcept {
    loop_->arm(timer, time);
}

void LoopBase::disarm(Timer& timer) noexcept {
    loop_->disarm(timer);
}

void LoopBase::work_started() noexcept {
    loop_->work_started();
}

void LoopBase::work_finished() noexcept {
    loop_->work_finished();
}

void LoopBase::report_unhandled(std::exception_ptr exception) noexcept {
    loop_->report_unhandled(std::move(exception));
}

LoopExecutor::LoopExecutor(std::function<void()> wake, std::function<void(std::chrono::steady_clock::time_point)> alarm,
                           CanBlock can_block, const char* name)
    : LoopBase(can_block, name, checked(std::move(wake)), std::move(alarm)) {}

/// Ends the loop while it still is one: other threads may still be posting the waits that it waits for.
LoopExecutor::~LoopExecutor() {
    loop().tear_down();
}

std::function<void()> LoopExecutor::checked(std::function<void()> wake) {
    if (!wake) throw std::invalid_argument("futon::core::LoopExecutor: it needs a function that wakes its host");
    return wake;
}

bool LoopExecutor::poll() {
    return loop().poll("poll");
}
bool LoopExecutor::poll(std::chrono::nanoseconds budget) {
    return loop().poll("poll", budget);
}
bool LoopExecutor::poll_one() {
    return loop().poll("poll_one", std::chrono::nanoseconds::zero());
}

std::chrono::steady_clock::time_point LoopExecutor::next_deadline() const noexcept {
    loop().expect_home("an executor's next deadline is asked for on the thread that made it");
    return loop().next_deadline();
}

bool LoopExecutor::has_work() const noexcept {
    loop().expect_home("an executor is asked for work on the thread that made it");
    return loop().has_work();
}

}  // namespace core

}  // namespace futon
