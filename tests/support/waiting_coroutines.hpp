// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <optional>

#include <futon/futon.hpp>

#include "support/coroutines.hpp"
#include "support/gtest.hpp"

namespace futon::test {

/// Waits at `cell`; counts in `destroyed` that its locals are destroyed.
inline Promise<void> wait_counted(std::atomic<int>& cell, int& destroyed) {
    const DestructionCounter local(destroyed);
    co_await wait_async(cell, 0);
}

/// Locks and unlocks; counts in `destroyed` that its locals are destroyed.
inline Promise<void> lock_counted(AsyncLock& lock, int& destroyed) {
    const DestructionCounter local(destroyed);
    const AsyncLock::Guard guard = co_await lock.scoped_lock_async();
}

/// Locks and unlocks in a frame that the caller owns; `result` is how the acquisition ended.
inline OwnedCoroutine lock_owned(AsyncLock& lock, std::optional<WaitResult>& result, Limits limit = {}) {
    const AsyncLock::Guard guard = co_await lock.scoped_lock_async(limit);
    EXPECT_EQ(guard.owns_lock(), guard.result() == WaitResult::ok);
    result = guard.result();
}

/// Waits, with the limits given, in a frame that the caller owns; `result` is how the wait ended.
template <class Signal, class... Args>
OwnedCoroutine wait_owned(Signal& signal, std::optional<WaitResult>& result, Args... args) {
    result = co_await signal.wait_async(args...);
}

/// Waits, with the limits given; the promise is of how the wait ended.
template <class Signal>
Promise<WaitResult> wait_promised(Signal& signal, Limits limits = {}) {
    co_return co_await signal.wait_async(limits);
}

}  // namespace futon::test
