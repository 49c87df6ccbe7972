// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstddef>
#include <exception>
#include <memory>
#include <utility>

#include <futon/agent.hpp>
#include <futon/core/queue/wait_table.hpp>
#include <futon/detail/loop/sourced_promise.hpp>
#include <futon/promise.hpp>
#include <futon/promise_source.hpp>

// How a PromiseSource settles its promise, here or on the thread of its agent.
namespace futon {

template <class T>
inline PromiseSource<T>& PromiseSource<T>::operator=(PromiseSource&& other) noexcept {
    PromiseSource taken(std::move(other));
    std::swap(link_, taken.link_);
    return *this;
}

template <class T>
inline PromiseSource<T>::~PromiseSource() {
    if (link_ != nullptr && !link_->is_settled.exchange(true)) drop();
}

template <class T>
template <class... Args>
inline void PromiseSource<T>::fulfil(Args&&... args) {
    typename Link::Value value(std::forward<Args>(args)...);
    settle<1>(std::move(value));
}

template <class T>
inline void PromiseSource<T>::reject(std::exception_ptr exception) {
    if (exception == nullptr) detail::throw_null_exception();
    settle<2>(std::move(exception));
}

template <class T>
template <std::size_t index, class Outcome>
inline void PromiseSource<T>::settle(Outcome&& outcome) {
    if (link_ == nullptr || link_->is_settled.exchange(true)) detail::throw_settled_twice();
    deliver<index>(std::forward<Outcome>(outcome));
}

/// Does nothing if the promise was dropped or its agent has ended.
template <class T>
template <std::size_t index, class Outcome>
inline void PromiseSource<T>::deliver(Outcome&& outcome) noexcept {
    try {
        link_->outcome.template emplace<index>(std::forward<Outcome>(outcome));
    } catch (...) {
        link_->outcome.template emplace<2>(std::current_exception());
    }
    if (link_->home == &detail::this_agent_slot()) {
        auto* promise = static_cast<detail::SourcedPromise<T>*>(link_->waiter);
        if (promise != nullptr && promise->withdraw()) promise->settle();
    } else {
        core::process_table().notify(link_.get(), 1);
    }
}

template <class T>
inline void PromiseSource<T>::drop() noexcept {
    link_->is_broken = true;
    deliver<2>(detail::source_dropped());
}

template <class T>
std::pair<Promise<T>, PromiseSource<T>> make_promise(Agent& agent) {
    agent.require_executor_for_wait("futon::make_promise");
    auto link = std::make_shared<detail::SourceLink<T>>();
    auto& promise = *new detail::SourcedPromise<T>(agent, link);
    promise.start();
    return {detail::PromiseAccess::handle_of<T>(promise), PromiseSource<T>(std::move(link))};
}

}  // namespace futon

#include <futon/detail/end.hpp>
