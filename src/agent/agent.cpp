// SPDX-License-Identifier: MIT
#include <futon/agent.hpp>

#include <cstddef>
#include <new>

#include <futon/core/agent_waiter.hpp>
#include <futon/detail/contract.hpp>
#include <futon/detail/promise_state.hpp>

#include "agent/current_agent.hpp"

namespace futon {

Agent::Agent(CanBlock can_block) noexcept : Agent(nullptr, can_block) {}

Agent::Agent(Executor& executor, CanBlock can_block) noexcept : Agent(&executor, can_block) {}

Agent::Agent(Executor* executor, CanBlock can_block) noexcept
    : slot_(&detail::this_agent_slot()),
      enclosing_(*slot_),
      older_(enclosing_),
      executor_(executor),
      generation_(platform::fork_generation()),
      can_block_(can_block == CanBlock::yes) {
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
    while (!waits_.is_alone()) {
        // Another thread has taken it out of its line, and posts it about now.
        auto& wait = static_cast<core::AgentWaiter&>(*waits_.after);
        if (executor_->retract(wait)) {
            wait.discard();
        } else {
            wait.outlive_agent();
        }
    }
    abandon_all();
    *slot_ = current == this ? enclosing_ : current;
    if (older_ != nullptr) older_->newer_ = nullptr;
}

Agent& Agent::of_plain_thread() noexcept {
    return detail::plain_thread_can_block() ? plain_thread<CanBlock::yes>() : plain_thread<CanBlock::no>();
}

/// What every thread is that made no agent. It owns no waits, so threads can share it; it is never destroyed, so that it
/// serves static destructors too.
template <CanBlock can_block>
Agent& Agent::plain_thread() noexcept {
    alignas(Agent) static std::byte storage[sizeof(Agent)];
    static Agent* const agent = new (storage) Agent(PlainThread{}, can_block);
    return *agent;
}

void Agent::throw_no_executor() {
    throw NoExecutor(
        "futon: this thread has no executor for what comes later; make a futon::EventLoop on it, in the child of a "
        "fork a "
        "new one");
}

void Agent::discard_undelivered() noexcept {
    static_cast<core::AgentWaiter&>(*waits_.after).discard();
}

void Agent::abandon_all() noexcept {
    // From the inside out: a coroutine is ended after what it awaits, so that what it holds meanwhile (a lock, say) is
    // held until then. Each is ended in a pass of its own, however long the chain; and since each ending may end others,
    // the rings are looked at anew each time.
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
        } else if (!reactions_.is_alone() && under_way.is_alone()) {
            detail::PromiseStateBase::discard_listed(static_cast<detail::Reaction&>(*reactions_.before));
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

}  // namespace futon
