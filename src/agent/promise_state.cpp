// SPDX-License-Identifier: MIT
#include <futon/detail/promise_state.hpp>

#include <stdexcept>

#include <futon/agent.hpp>

namespace futon::detail {

void throw_broken_promise() {
    throw std::logic_error("futon::Promise: the event loop that would settle this promise has ended");
}

PromiseStateBase::PromiseStateBase() noexcept : home_(&this_agent_slot()) {}

void PromiseStateBase::check_thread() const noexcept {
    expects(home_ == &this_agent_slot(), "a promise is used on the thread of its agent only");
}

void PromiseStateBase::release() noexcept {
    if (--references_ == 0) delete this;
}

void PromiseStateBase::drop_handle() noexcept {
    check_thread();
    has_handle_ = false;
    if (is_pending() && reactions_ == nullptr) on_dropped();
    report_if_unobserved();
    release();
}

void PromiseStateBase::add_reaction(Reaction& reaction) noexcept {
    check_thread();
    observe();
    if (is_settled()) {
        reaction.place_ = Reaction::Place::posted;
        reaction.executor_->post(reaction);
    } else {
        reaction.place_ = Reaction::Place::listed;
        reaction.next = reactions_;
        reactions_ = &reaction;
    }
}

bool PromiseStateBase::remove_reaction(Reaction& reaction) noexcept {
    switch (std::exchange(reaction.place_, Reaction::Place::nowhere)) {
        case Reaction::Place::nowhere:
            return true;
        case Reaction::Place::posted:
            return reaction.executor_->retract(reaction);
        case Reaction::Place::listed:
            break;
    }
    Job** link = &reactions_;
    while (*link != &reaction) link = &(*link)->next;
    *link = reaction.next;
    if (is_pending() && reactions_ == nullptr && !has_handle_) on_dropped();
    return true;
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

    Job* in_order = nullptr;
    while (reactions_ != nullptr) {
        Job* job = std::exchange(reactions_, reactions_->next);
        job->next = std::exchange(in_order, job);
    }
    while (in_order != nullptr) {
        auto& reaction = static_cast<Reaction&>(*std::exchange(in_order, in_order->next));
        reaction.place_ = Reaction::Place::posted;
        reaction.executor_->post(reaction);
    }
}

void PromiseStateBase::abandon() noexcept {
    status_ = Status::abandoned;
    while (reactions_ != nullptr) {
        auto& reaction = static_cast<Reaction&>(*std::exchange(reactions_, reactions_->next));
        reaction.place_ = Reaction::Place::nowhere;
        reaction.discard();
    }
}

void PromiseStateBase::report_if_unobserved() noexcept {
    if (status_ != Status::rejected || observed_ || has_handle_) return;
    observe();
    Executor* executor = Agent::current().executor();
    if (executor == nullptr) std::rethrow_exception(exception());  // nobody is left to tell: ends the program
    executor->report_unhandled(exception());
}

}  // namespace futon::detail
