// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <utility>

#include <futon/agent.hpp>
#include <futon/detail/contract.hpp>
#include <futon/detail/loop/promise_state.hpp>
#include <futon/promise.hpp>

// How a Promise reaches its state, and the code that settles it.
namespace futon {

template <class T>
inline Promise<T>& Promise<T>::operator=(Promise&& other) noexcept {
    Promise(std::move(other)).swap(*this);
    return *this;
}

template <class T>
inline Promise<T>::~Promise() {
    if (state_ != nullptr) state_->drop_handle();
}

template <class T>
inline detail::PromiseState<T>& Promise<T>::state() const {
    if (state_ == nullptr) [[unlikely]]
        detail::throw_moved_promise();
    return *state_;
}

/// As `state`, for functions that cannot throw.
template <class T>
inline detail::PromiseState<T>& Promise<T>::own_state() const noexcept {
    detail::expects(state_ != nullptr, "a promise that was moved from is only assigned to or destroyed");
    return *state_;
}

/// The state, for a caller that is about to listen.
template <class T>
inline detail::StateRef<detail::PromiseState<T>> Promise<T>::listened_to() const {
    Agent::current().require_executor("futon::Promise::then");
    if (state().is_abandoned()) detail::throw_broken_promise();
    return detail::StateRef<State>(state());
}

namespace detail {

/// The two sides of a promise, for the code that settles it.
struct PromiseAccess {
    template <class T>
    static Promise<T> handle_of(PromiseState<T>& state) noexcept {
        return Promise<T>(state);
    }
    template <class T>
    static PromiseState<T>& state_of(const Promise<T>& promise) {
        return promise.state();
    }
};

}  // namespace detail

}  // namespace futon

#include <futon/detail/loop/coroutine_promise.hpp>  // how a coroutine settles it

#include <futon/detail/end.hpp>
