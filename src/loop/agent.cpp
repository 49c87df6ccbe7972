// SPDX-License-Identifier: MIT
#include <futon/agent.hpp>

#include <cstddef>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include <futon/core/loop/agent_waiter.hpp>
#include <futon/detail/contract.hpp>
#include <futon/detail/loop/promise_state.hpp>

#include "loop/current_agent.hpp"
#include "platform/host.hpp"

namespace futon {

Agent::Agent(CanBlock can_block) noexcept : Agent(nullptr, can_block) {}

Agent::Agent(Executor& executor, CanBlock can_block) noexcept : Agent(&executor, can_block) {}

Agent::Agent(Executor* executor, CanBlock can_block) noexcept
    : slot_(&detail::this_agent_slot()),
      enclosing_(*slot_),
      older_(enclosing_),
      executor_(executor),
      generation_(platform::fork_generation()),
      can_block_(can_block == CanBlock::yes && !platform::Host::runs_thread()) {
    if (older_ != nullptr) {
        while (older_->newer_ != nullptr) older_ = older_->newer_;
        older_->newer_ = this;
    }
    *slot_ = this;
}

Agent::Agent(PlainThread, CanBlock can_block) noexcept
    : slot_(nullptr),
      enclosing_(nullptr),
      older_(nullptr),
      executor_(nullptr),
      generation_(0),
      can_block_(can_block == CanBlock::yes) {}

Agent::~Agent() {
    detail::expects(&detail::this_agent_slot() == slot_, "an agent ends on the thread that made it");
    detail::expects(newer_ == nullptr, "the agents of a thread end in the reverse order of their making");
    Agent* const current = *slot_;  // another, if a job of an older loop ends this one
    *slot_ = this;
    is_ending_ = true;
    abandon_all();
    retract_waits();
    abandon_all();
    while (!posted_.is_alone()) posted_.after->unlink();  // they stay with its executor
    *slot_ = current == this ? enclosing_ : current;
    if (older_ != nullptr) older_->newer_ = nullptr;
}

Agent& Agent::of_plain_thread() noexcept {
    return detail::plain_thread_can_block() ? plain_thread<CanBlock::yes>() : plain_thread<CanBlock::no>();
}

/// The agent of every thread that made none. It owns no waits, so threads can share it. It is never destroyed, so it
/// serves static destructors too.
template <CanBlock can_block>
Agent& Agent::plain_thread() noexcept {
    alignas(Agent) static std::byte storage[sizeof(Agent)];
    static Agent* const agent = new (storage) Agent(PlainThread{}, can_block);
    return *agent;
}

void Agent::throw_no_executor(const char* operation) {
    throw NoExecutor(
        std::string(operation) +
        ": this thread has no executor for what comes later; "
        "make a futon::EventLoop on it first, or an adapter's (futon::qt::Loop, ...), in the child of a fork a new "
        "one, or call what blocks");
}

void Agent::discard_undelivered() noexcept {
    static_cast<core::AgentWaiter&>(*waits_.after).discard();
}

void Agent::throw_closed(const char* operation) {
    throw NoExecutor(std::string(operation) +
                     ": this thread's agent, or event loop, was closed, and begins no more waits");
}

void Agent::close() {
    if (&detail::this_agent_slot() != slot_)
        throw std::logic_error("futon::Agent::close: an agent is closed on the thread that made it");
    if (is_inherited())
        throw std::logic_error("futon::Agent::close: in the child of a fork an agent of the parent is only destroyed");
    is_closed_ = true;
    const detail::CurrentAgent current(*this);
    // Other coroutines may await a running one, among them the one that keeps its captures. So reactions stay until
    // their promises settle, unless these never will.
    do end_waits();
    while (end_continuation());
}

bool Agent::end_continuation() noexcept {
    for (detail::RingLinks* link = posted_.after; link != &posted_; link = link->after) {
        auto& reaction = static_cast<detail::Reaction&>(*link);
        if (reaction.is_of_coroutine() && detail::PromiseStateBase::discard_posted(reaction)) return true;
    }
    return false;
}

void Agent::end_waits() noexcept {
    abandon_waits();
    retract_waits();
    abandon_waits();
}

void Agent::retract_waits() noexcept {
    while (!waits_.is_alone()) {
        // Another thread has dequeued it, and is about to post it.
        auto& wait = static_cast<core::AgentWaiter&>(*waits_.after);
        if (executor_->retract(wait)) {
            wait.discard();
        } else {
            wait.outlive_agent();
        }
    }
}

void Agent::abandon_waits() noexcept {
    // From the inside out: a coroutine ends after the one that it awaits, and keeps what it holds (a lock, say) until
    // then. Each one ends in a pass of its own, however long the chain. The end of one may end others, so each pass
    // reads the rings anew.
    detail::RingLinks under_way;
    while (true) {
        if (!abandoned_.is_alone()) {
            detail::PromiseStateBase::discard_listed(static_cast<detail::Reaction&>(*abandoned_.after));
        } else if (!waits_.is_alone()) {
            auto& wait = static_cast<core::AgentWaiter&>(*waits_.after);
            if (wait.leave(WaitResult::cancelled)) {
                wait.forget();
                wait.on_teardown(false);
            } else {
                wait.unlink();
                wait.insert_before(under_way);
            }
        } else {
            break;
        }
    }
    while (!under_way.is_alone()) {
        detail::RingLinks& wait = *under_way.after;
        wait.unlink();
        wait.insert_before(waits_);
    }
}

void Agent::abandon_all() noexcept {
    abandon_waits();
    while (waits_.is_alone() && !reactions_.is_alone()) {
        detail::PromiseStateBase::discard_listed(static_cast<detail::Reaction&>(*reactions_.before));
        abandon_waits();
    }
}

}  // namespace futon
