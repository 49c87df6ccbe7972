// SPDX-License-Identifier: MIT
#include <futon/core/loop_base.hpp>

#include <stdexcept>
#include <utility>

#include <futon/core/loop_executor.hpp>
#include <futon/detail/this_thread.hpp>

#include "agent/loop_core.hpp"

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

namespace core {

LoopBase::LoopBase(CanBlock can_block, std::function<void()> wake)
    : loop_(std::make_unique<detail::LoopCore>(*this, can_block, std::move(wake))) {}

LoopBase::~LoopBase() {
    loop_->tear_down();
}

void LoopBase::post(Job& job) noexcept {
    loop_->post(job);
}

bool LoopBase::retract(Job& job) noexcept {
    return loop_->retract(job);
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

/// Ends the loop while it still is one: other threads may be posting what it waits for then.
LoopExecutor::~LoopExecutor() {
    loop().tear_down();
}

std::function<void()> LoopExecutor::checked(std::function<void()> wake) {
    if (!wake) throw std::invalid_argument("futon::core::LoopExecutor: it needs a function that wakes its host");
    return wake;
}

bool LoopExecutor::poll() {
    return loop().poll();
}

std::chrono::steady_clock::time_point LoopExecutor::next_deadline() const noexcept {
    return loop().next_deadline();
}

bool LoopExecutor::has_work() const noexcept {
    return loop().has_work();
}

}  // namespace core

}  // namespace futon
