// SPDX-License-Identifier: MIT
#include <futon/detail/loop/promise_state.hpp>

#include <optional>
#include <stdexcept>
#include <utility>

#include <futon/agent.hpp>
#include <futon/core/probe.hpp>

#include "platform/fork.hpp"

namespace futon::detail {

void throw_broken_promise() {
    throw std::logic_error("futon::Promise: the event loop that would settle this promise has ended or was closed");
}

void report_unhandled(std::exception_ptr exception) noexcept {
    const Agent* agent = &Agent::current();
    while (agent->executor() == nullptr && agent->enclosing_ != nullptr) agent = agent->enclosing_;
    if (agent->executor() == nullptr) std::rethrow_exception(exception);  // no loop is left to tell: ends the program
    agent->executor()->report_unhandled(std::move(exception));
}

void throw_moved_promise() {
    throw std::logic_error("futon::Promise: this promise was moved from, and stands for no value any more");
}

PromiseStateBase::PromiseStateBase() noexcept : home_(&this_agent_slot()), generation_(platform::fork_generation()) {}

PromiseState<void>& fulfilled_with_nothing() {
    struct Kept {
        const void* home = nullptr;  // as of a promise: the explorer's threads share what is local to one of the system
        std::uint32_t generation = 0;  // of the process that made it [fork]
        std::optional<StateRef<PromiseState<void>>> state{};
    };
    thread_local Kept kept;
    if (kept.home != &this_agent_slot() || kept.generation != platform::fork_generation()) [[unlikely]] {
        auto* const made = new PromiseState<void>;
        kept.state.emplace(*made);
        kept.home = &this_agent_slot();
        kept.generation = platform::fork_generation();
        made->fulfil();
        made->drop_handle();
    }
    (*kept.state)->retain();
    return **kept.state;
}

void PromiseStateBase::check_thread() const noexcept {
    expects(home_ == &this_agent_slot(), "a promise is used on the thread of its agent only");
}

void PromiseStateBase::release() noexcept {
    if (--references_ == 0) delete this;
}

void PromiseStateBase::drop_handle() noexcept {
    check_thread();
    has_handle_ = false;
    core::probe::promise_dropped(this, observed_);
    if (is_pending() && reactions_ == nullptr) on_dropped();
    report_if_unobserved();
    release();
}

void PromiseStateBase::react(Reaction& reaction) noexcept {
    check_thread();
    reaction.promise_ = this;
    if (is_settled()) {
        post(reaction);
    } else {
        list(reaction);
        reaction.insert_before(reaction.agent_->reactions_);
    }
}

void PromiseStateBase::begin_watching() noexcept {
    check_thread();
    if (watchers_ != many && ++watchers_ == many) observe();  // among so many, none reports it
}

void PromiseStateBase::end_watching() noexcept {
    check_thread();
    if (watchers_ != many && --watchers_ == 0) report_if_unobserved();
}

void PromiseStateBase::post(Reaction& reaction) noexcept {
    Agent& agent = *reaction.agent_;
    reaction.insert_before(agent.posted_);
    reaction.executor_ = agent.executor();
    reaction.stage_ = Reaction::Stage::posted;
    reaction.executor_->post(reaction);
}

bool PromiseStateBase::remove_reaction(Reaction& reaction) noexcept {
    switch (reaction.stage_) {
        case Reaction::Stage::idle:
            return true;
        case Reaction::Stage::posted:
            if (!reaction.executor_->retract(reaction)) return false;
            reaction.leave();
            return true;
        case Reaction::Stage::listed:
            reaction.promise_->unlist(reaction);
            return true;
    }
    return false;
}

void PromiseStateBase::discard_listed(Reaction& reaction) noexcept {
    reaction.promise_->unlist(reaction);
    reaction.discard();
}

bool PromiseStateBase::discard_posted(Reaction& reaction) noexcept {
    if (!remove_reaction(reaction)) return false;
    reaction.discard();
    return true;
}

void PromiseStateBase::list(Reaction& reaction) noexcept {
    reaction.stage_ = Reaction::Stage::listed;
    reaction.link_ = &reactions_;
    reaction.next = std::exchange(reactions_, &reaction);
    if (reaction.next != nullptr) static_cast<Reaction&>(*reaction.next).link_ = &reaction.next;
}

void PromiseStateBase::unlist(Reaction& reaction) noexcept {
    *reaction.link_ = reaction.next;
    if (reaction.next != nullptr) static_cast<Reaction&>(*reaction.next).link_ = reaction.link_;
    reaction.unlink();
    reaction.stage_ = Reaction::Stage::idle;
    if (is_pending() && reactions_ == nullptr && !has_handle_) on_dropped();
}

void PromiseStateBase::settle_fulfilled() noexcept {
    settle(Status::fulfilled);
}

void PromiseStateBase::settle_rejected() noexcept {
    settle(Status::rejected);
    report_if_unobserved();
}

void PromiseStateBase::settle(Status status) noexcept {
    check_thread();
    expects(is_pending(), "a promise settles once");
    status_ = status;
    core::probe::promise_settles(this, has_handle_ || reactions_ != nullptr);
    if (reactions_ == nullptr) return;
    if (reactions_->next == nullptr) {  // as with most
        auto& reaction = static_cast<Reaction&>(*std::exchange(reactions_, nullptr));
        reaction.unlink();
        return post(reaction);
    }

    Job* in_order = nullptr;
    while (reactions_ != nullptr) {
        Job* job = std::exchange(reactions_, reactions_->next);
        job->next = std::exchange(in_order, job);
    }
    while (in_order != nullptr) {
        auto& reaction = static_cast<Reaction&>(*std::exchange(in_order, in_order->next));
        reaction.unlink();
        post(reaction);
    }
}

void PromiseStateBase::abandon() noexcept {
    status_ = Status::abandoned;
    for (Job* job = reactions_; job != nullptr; job = job->next) {
        auto& reaction = static_cast<Reaction&>(*job);
        reaction.unlink();
        reaction.insert_before(reaction.agent_->abandoned_);
    }
    if constexpr (core::probe::is_enabled) {
        bool is_awaited = reactions_ != nullptr;
        for (const Job* job = reactions_; job != nullptr; job = job->next) {
            const auto& reaction = static_cast<const Reaction&>(*job);
            if (reaction.agent_->is_ending_ || reaction.agent_->is_closed_) is_awaited = false;
        }
        if (is_awaited) core::probe::promise_lost(this);
    }
}

void PromiseStateBase::report_if_unobserved() noexcept {
    if (status_ != Status::rejected || observed_ || has_handle_ || watchers_ != 0) return;
    observe();
    if (generation_ != platform::fork_generation())
        return;  // [fork] a promise of the parent, in the child: do not tell any loop
    report_unhandled(exception());
}

}  // namespace futon::detail
