// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <coroutine>
#include <optional>
#include <utility>
#include <variant>

#include <futon/detail/export.hpp>
#include <futon/detail/loop/promise_access.hpp>
#include <futon/detail/loop/promise_state.hpp>
#include <futon/promise.hpp>
#include <futon/wait_async_result.hpp>
#include <futon/wait_result.hpp>

// What a WaitAsyncResult holds, and how coroutines await it.
namespace futon {

namespace detail {

[[noreturn]] FUTON_API void throw_no_value();
[[noreturn]] FUTON_API void throw_no_promise();

}  // namespace detail

inline WaitResult WaitAsyncResult::value() const {
    if (async()) [[unlikely]]
        detail::throw_no_value();
    return std::get<0>(answer_);
}

inline Promise<WaitResult>& WaitAsyncResult::promise() & {
    if (!async()) [[unlikely]]
        detail::throw_no_promise();
    return std::get<1>(answer_);
}

class WaitAsyncResult::Awaiter {
public:
    explicit Awaiter(WaitAsyncResult& result) {
        if (result.async()) {
            promised_.emplace(detail::PromiseAccess::state_of(result.promise()));
        } else {
            value_ = result.value();
        }
    }

    bool await_ready() const noexcept { return !promised_ || promised_->await_ready(); }
    template <class P>
    void await_suspend(std::coroutine_handle<P> coroutine) noexcept {
        promised_->await_suspend(coroutine);
    }
    WaitResult await_resume() { return promised_ ? promised_->await_resume() : value_; }

private:
    std::optional<detail::PromiseAwaiter<WaitResult, WaitResult>> promised_;
    WaitResult value_ = WaitResult::ok;
};

inline WaitAsyncResult::Awaiter WaitAsyncResult::operator co_await() {
    return Awaiter(*this);
}

}  // namespace futon

#include <futon/detail/end.hpp>
