// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <concepts>
#include <coroutine>
#include <exception>
#include <utility>

#include <futon/core/probe.hpp>
#include <futon/detail/loop/promise_access.hpp>
#include <futon/detail/loop/promise_state.hpp>
#include <futon/detail/loop/reused_memory.hpp>
#include <futon/promise.hpp>

namespace futon::detail {

/// A coroutine's side of the promise it returns.
template <class T>
class CoroutinePromiseBase : public InReusedMemory {
public:
    CoroutinePromiseBase() : state_(*new PromiseState<T>) { state_.retain(); }
    CoroutinePromiseBase(const CoroutinePromiseBase&) = delete;
    CoroutinePromiseBase& operator=(const CoroutinePromiseBase&) = delete;

    ~CoroutinePromiseBase() {
        if (state_.is_pending()) state_.abandon();
        state_.release();
    }

    Promise<T> get_return_object() noexcept {
        if constexpr (core::probe::is_enabled) {
            auto& own = static_cast<CoroutinePromise<T>&>(*this);
            core::probe::coroutine_begins(std::coroutine_handle<CoroutinePromise<T>>::from_promise(own).address(),
                                          static_cast<const PromiseStateBase*>(&state_));
        }
        return PromiseAccess::handle_of(state_);
    }
    std::suspend_never initial_suspend() const noexcept { return {}; }
    void unhandled_exception() noexcept { state_.set_exception(std::current_exception()); }

    /// Settles only here, after everything that the coroutine held is destroyed. If a destructor throws after
    /// `co_return`, its exception replaces the value.
    std::suspend_never final_suspend() const noexcept {
        state_.settle();
        return {};
    }

protected:
    PromiseState<T>& state_;
};

template <class T>
class CoroutinePromise : public CoroutinePromiseBase<T> {
public:
    template <std::convertible_to<T> U = T>
    void return_value(U&& value) {
        this->state_.set_value(std::forward<U>(value));
    }
};

template <class T>
inline constexpr bool is_own_coroutine<CoroutinePromise<T>> = true;

template <>
class CoroutinePromise<void> : public CoroutinePromiseBase<void> {
public:
    void return_void() noexcept { state_.set_value(); }
};

}  // namespace futon::detail

#include <futon/detail/end.hpp>
