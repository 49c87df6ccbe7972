// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <utility>
#include <variant>

#include <futon/promise.hpp>
#include <futon/wait_result.hpp>

namespace futon {

/// What `wait_async` returns: a value at once, or a promise of one. A coroutine need not look at it: `co_await` takes
/// either. Other code asks `async` first, and gives the promise a function by `then`.
///
///     const futon::WaitResult result = co_await futon::wait_async(word, 0, 50ms);
///     auto answer = futon::wait_async(word, 0);
///     if (answer.async()) later = std::move(answer).promise().then([](futon::WaitResult) { ... });
///
/// Spec  the object { async, value } of Atomics.waitAsync.
class [[nodiscard]] WaitAsyncResult {
    class Awaiter;

public:
    explicit WaitAsyncResult(WaitResult value) noexcept : answer_(value) {}
    explicit WaitAsyncResult(Promise<WaitResult> promise) noexcept : answer_(std::move(promise)) {}
    explicit WaitAsyncResult(std::variant<WaitResult, Promise<WaitResult>> answer) noexcept
        : answer_(std::move(answer)) {}

    /// Whether this holds a promise, because a waiter was enqueued.
    bool async() const noexcept { return answer_.index() == 1; }

    /// The value, if it is known already. Throws std::logic_error if `async()`.
    WaitResult value() const;

    /// Whether this holds the value `result` already: false for a promise, whatever it will settle with.
    friend bool operator==(const WaitAsyncResult& answer, WaitResult result) noexcept {
        return !answer.async() && std::get<0>(answer.answer_) == result;
    }

    /// The promise. Throws std::logic_error unless `async()`.
    Promise<WaitResult>& promise() &;
    Promise<WaitResult> promise() && { return std::move(promise()); }

    /// `co_await` gives the WaitResult, now or later. Throws NoExecutor if `async()`, and std::logic_error if the
    /// promise's event loop has ended.
    Awaiter operator co_await();

private:
    std::variant<WaitResult, Promise<WaitResult>> answer_;
};

}  // namespace futon

#include <futon/detail/atomics/wait_async_awaiter.hpp>  // how coroutines await it

#include <futon/detail/end.hpp>
