// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstddef>
#include <utility>

#include <futon/agent.hpp>
#include <futon/core/operation/operation.hpp>
#include <futon/core/queue/wait_check.hpp>
#include <futon/core/queue/wait_table.hpp>
#include <futon/detail/atomics/notify_count.hpp>
#include <futon/detail/atomics/word_calls.hpp>
#include <futon/detail/warn_unused.hpp>
#include <futon/limits.hpp>
#include <futon/wait_async_result.hpp>
#include <futon/wait_result.hpp>

namespace futon {

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
/// Use it to build a primitive of your own. The existing ones, from `Event` to `Channel`, are easier.
///
/// The comparison and the enqueueing are one step under the lock that notify takes, so no wake-up is lost, and none is
/// spurious. A store without a notify wakes no waiter.
///
/// Returns   `not_equal` at once if the word holds another value; else `cancelled` or `timed_out` at once if the stop
///           or the deadline has come already; else how the wait ended. Never `timed_out` before the deadline.
/// Ordering  everything before the notify happens before this returns `ok`.
/// Threads   agents that may block.
/// Throws    BlockingForbidden if the agent may not block, before it reads the word.
/// Cost      allocates nothing. One short lock, then one system call to sleep. If the thread's last sleep was short, less than
///           25 µs, it polls for up to seven before it sleeps, and yields as it does. Where the threads that it wakes take long to
///           wake, up to 150 µs is short, and it polls for up to 50. While it yields to others it polls for up to three times as long;
///           beside a thread that computes on its processor it does not poll
/// Spec      Atomics.wait.
template <WaitWord W>
WaitResult wait(W&& word, WordValue<W> expected, const Limits& limits = {}) {
    return detail::wait(detail::word_of(word).equals(expected), limits);
}

/// How many waiters a notify wakes: an integer of any type, or `everyone`.
using NotifyCount = detail::NotifyCount;

/// Wakes up to `count` of the waiters at `word`, longest wait first; returns how many.
///
///     word.store(1);
///     futon::notify(word, 1);
///
/// A count of zero or less wakes none. Threads and promises wait in one queue and are treated alike. A wake-up is not
/// remembered: if no waiter is queued, nothing happens. Waiters that are enqueued after the notify began are not woken.
/// With more than 1024 waiters, some are woken before the last is dequeued.
///
/// `std::atomic::notify_one` and other libraries do not reach futon's waiters, nor does this call reach theirs.
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
std::size_t notify(W&& word, NotifyCount count = everyone) noexcept {
    return detail::notify(detail::word_of(word).address(), count.value());
}

/// "Wait until this word is notified, if the check passes" as an operation: what `waiting` returns.
class FUTON_WARN_UNUSED WordWait {
public:
    using Result = WaitResult;
    static constexpr const char* name = "futon::wait";
    static constexpr bool wake_is_final = true;

    explicit WordWait(const core::WaitCheck& check) noexcept : check_(check) {}
    WordWait(WordWait&& other) noexcept : check_(other.check_) { other.check_.address = nullptr; }
    WordWait& operator=(WordWait&&) = delete;

    const void* key() const noexcept { return check_.address; }
    bool try_now() const noexcept { return !check_.must_wait(); }
    const core::WaitCheck& check() const noexcept { return check_; }
    bool woken(core::WakeToken) const noexcept { return true; }
    void give_back(core::WakeToken) const noexcept {}
    static WaitResult result(core::Ending ending) noexcept {
        return ending == core::Ending::at_once ? WaitResult::not_equal : core::to_wait_result(ending);
    }

private:
    core::WaitCheck check_;
};

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
    return detail::wait_async(WordWait(detail::word_of(word).equals(expected)), limits, agent);
}

/// `wait` as an operation, for `select` and the drivers of `core`. Yields what `wait` returns.
///
///     auto chosen = co_await futon::select_async(futon::waiting(word, 0), lock.locking());
template <WaitWord W>
WordWait waiting(W&& word, WordValue<W> expected) noexcept {
    return WordWait(detail::word_of(word).equals(expected));
}

}  // namespace futon

#include <futon/detail/atomics/atomics_misuse.hpp>  // near misses, which do not compile

#include <futon/detail/end.hpp>
