// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <atomic>
#include <concepts>
#include <cstddef>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include <futon/agent.hpp>
#include <futon/core/atomic.hpp>
#include <futon/core/operation/operation.hpp>
#include <futon/core/queue/wait_table.hpp>
#include <futon/detail/atomics/notify_count.hpp>
#include <futon/detail/export.hpp>
#include <futon/detail/stop_token.hpp>
#include <futon/detail/warn_unused.hpp>
#include <futon/limits.hpp>
#include <futon/promise.hpp>
#include <futon/wait_result.hpp>
#include <futon/word.hpp>

namespace futon {

namespace detail {

[[noreturn]] FUTON_API void throw_no_value();
[[noreturn]] FUTON_API void throw_no_promise();

}  // namespace detail

/// What `wait_async` returns: a value at once, or a promise of one. `co_await` takes either.
///
///     const futon::WaitResult result = co_await futon::wait_async(word, 0, 50ms);
///
/// Spec  the object { async, value } of Atomics.waitAsync.
class [[nodiscard]] WaitAsyncResult {
public:
    explicit WaitAsyncResult(WaitResult value) noexcept : answer_(value) {}
    explicit WaitAsyncResult(Promise<WaitResult> promise) noexcept : answer_(std::move(promise)) {}

    /// Whether this holds a promise, because a waiter was enqueued.
    bool async() const noexcept { return answer_.index() == 1; }

    /// The value, if it is known already. Throws std::logic_error if `async()`.
    WaitResult value() const {
        if (async()) [[unlikely]]
            detail::throw_no_value();
        return std::get<0>(answer_);
    }

    /// Whether this holds the value `result` already: false for a promise, whatever it will settle with.
    friend bool operator==(const WaitAsyncResult& answer, WaitResult result) noexcept {
        return !answer.async() && std::get<0>(answer.answer_) == result;
    }

    /// The promise. Throws std::logic_error unless `async()`.
    Promise<WaitResult>& promise() & {
        if (!async()) [[unlikely]]
            detail::throw_no_promise();
        return std::get<1>(answer_);
    }
    Promise<WaitResult> promise() && { return std::move(promise()); }

    /// `co_await` gives the WaitResult, now or later. Throws NoExecutor if `async()`, and std::logic_error if the
    /// promise's event loop has ended.
    auto operator co_await() { return Awaiter(*this); }

private:
    class Awaiter {
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

    std::variant<WaitResult, Promise<WaitResult>> answer_;
};

/// "Wait until this word is notified, if the check passes" as an operation: what `waiting` returns.
class FUTON_WARN_UNUSED WordWait {
public:
    using Result = WaitResult;
    static constexpr const char* name = "futon::wait";
    static constexpr bool wake_is_final = true;

    explicit WordWait(core::WaitCheck check) noexcept : check_(check) {}
    WordWait(WordWait&& other) noexcept : check_(other.check_) { other.check_.address = nullptr; }
    WordWait& operator=(WordWait&&) = delete;

    const void* key() const noexcept { return check_.address; }
    bool try_now() const noexcept { return !check_.must_wait(); }
    core::WaitCheck check() const noexcept { return check_; }
    bool woken(core::WakeToken) const noexcept { return true; }
    void give_back(core::WakeToken) const noexcept {}
    static WaitResult result(core::Ending ending) noexcept {
        return ending == core::Ending::at_once ? WaitResult::not_equal : core::to_wait_result(ending);
    }

private:
    core::WaitCheck check_;
};

namespace detail {

FUTON_API WaitResult wait(core::WaitCheck check, const Limits& limits);
FUTON_API std::size_t notify(const void* address, std::size_t count) noexcept;
FUTON_API WaitAsyncResult wait_async(core::WaitCheck check, Limits limits, Agent& agent);

template <WaitValue T>
Word<T> word_of(Word<T> word) noexcept {
    return word;
}
template <WaitValue T>
Word<T> word_of(core::Atomic<T>& word) noexcept {
    return word;
}

}  // namespace detail

/// What can be waited on: a `Word`, or a `std::atomic` of a type that a word can have.
template <class W>
concept WaitWord = requires(W&& word) {
    detail::word_of(std::forward<W>(word));
};

/// The type of the values of such a word.
template <WaitWord W>
using WordValue = typename decltype(detail::word_of(std::declval<W>()))::value_type;

/// Blocks until a notify, if `word` holds `expected`: the futex operation that locks and queues are built from.
///
///     while (word.load() == 0) futon::wait(word, 0);   // until another thread stores and notifies
///
/// The comparison and the enqueueing are one step under the lock that notify takes, so no wake-up is lost, and none is
/// spurious. A store without a notify wakes no waiter.
///
/// Returns   `not_equal` at once if the word holds another value; else `cancelled` or `timed_out` at once if the stop
///           or the deadline has come already; else how the wait ended. Never `timed_out` before the deadline.
/// Ordering  everything before the notify happens before this returns `ok`.
/// Threads   agents that may block.
/// Throws    BlockingForbidden if the agent may not block, before it reads the word.
/// Cost      allocates nothing. One short lock, then one system call to sleep.
/// Spec      Atomics.wait.
template <WaitWord W>
WaitResult wait(W&& word, WordValue<W> expected, const Limits& limits = {}) {
    return detail::wait(detail::word_of(word).equals(expected), limits);
}

/// Wakes up to `count` of the waiters at `word`, longest wait first; returns how many.
///
///     word.store(1);
///     futon::notify(word, 1);
///
/// A count of zero or less wakes none. Threads and promises wait in one queue and are treated alike. A wake-up is not
/// remembered: if no waiter is queued, nothing happens. Waiters that are enqueued after the notify began are not woken.
/// With more than 1024 waiters, some are woken before the last is dequeued.
///
/// `std::atomic::notify_one` and other libraries do not reach futon's waiters, nor does this reach theirs.
///
/// Ordering  everything before this call happens before each woken wait returns or settles. A notify that wakes no
///           waiter orders nothing.
/// Threads   any, including agents that may not block. Not signal handlers: it may take a lock that the interrupted
///           thread holds. A handler may call `EventLoop::stop`.
/// Cost      without a waiter at `word` a fence and a load, however many wait elsewhere; else one short lock for every
///           1024 waiters, plus work proportional to the number woken.
/// Throws    nothing, allocates nothing, and runs no continuation: it posts them.
/// Spec      Atomics.notify.
template <WaitWord W>
std::size_t notify(W&& word, detail::NotifyCount count = everyone) noexcept {
    return detail::notify(detail::word_of(word).address(), count.value());
}

/// `wait` without blocking: if the call cannot answer at once, it returns a promise that settles on `agent`'s executor.
///
/// Returns  { async: false, value } with `not_equal`, `cancelled` or `timed_out` if that is certain at once; else {
///          async: true, promise } of `ok`, `timed_out` or `cancelled`.
/// Settles  never inside a call, always as a job of the executor.
/// Cancel   the stop token, or dropping the promise while nothing listens; either dequeues the waiter at once.
/// Threads  `agent`'s own.
/// Throws   NoExecutor if the agent has no executor, or if the deadline is finite and its executor keeps no timers;
///          std::bad_alloc. No waiter was enqueued then.
/// Cost     one allocation, one short lock.
/// Spec     Atomics.waitAsync.
template <WaitWord W>
WaitAsyncResult wait_async(W&& word, WordValue<W> expected, const Limits& limits = {},
                           Agent& agent = Agent::current()) {
    return detail::wait_async(detail::word_of(word).equals(expected), limits, agent);
}

/// `wait` as an operation, for `select` and the drivers of `core`. Yields what `wait` returns.
template <WaitWord W>
WordWait waiting(W&& word, WordValue<W> expected) noexcept {
    return WordWait(detail::word_of(word).equals(expected));
}

}  // namespace futon

#include <futon/detail/atomics/atomics_misuse.hpp>  // near misses, which do not compile

#include <futon/detail/end.hpp>
