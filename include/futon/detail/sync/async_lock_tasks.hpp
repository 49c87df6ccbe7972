// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <type_traits>
#include <utility>

#include <futon/core/driver/await.hpp>
#include <futon/detail/stop_token.hpp>
#include <futon/detail/sync/async_lock_operation.hpp>
#include <futon/detail/sync/execute_holding.hpp>
#include <futon/detail/warn_unused.hpp>
#include <futon/limits.hpp>
#include <futon/promise.hpp>
#include <futon/sync/async_lock.hpp>

// How tasks lock an AsyncLock: its awaitables, and `execute_locked`.
namespace futon {

/// What `scoped_lock_async` returns: `co_await` gives a Guard.
class FUTON_WARN_UNUSED
    [[nodiscard("nothing is locked before it is awaited: write co_await")]] AsyncLock::ScopedAcquisition
    : public core::Await<Locking> {
public:
    using Await::Await;
};

/// What `lock_async` returns: `co_await` gives nothing.
class FUTON_WARN_UNUSED [[nodiscard("nothing is locked before it is awaited: write co_await")]] AsyncLock::Acquisition
    : private core::Await<Locking> {
public:
    explicit Acquisition(AsyncLock & lock) : Await(Locking(lock), Limits()) {}

    // clang-format off
    operator Guard() = delete;  // futon: lock_async gives no guard: write co_await lock.scoped_lock_async()
    // clang-format on

    using Await::await_ready;
    using Await::await_suspend;
    void await_resume() {
        if (Await::await_resume().release() == nullptr) throw_agent_ended();
    }
};

inline AsyncLock::ScopedAcquisition AsyncLock::scoped_lock_async(Limits limits) {
    return {Locking(*this), std::move(limits)};
}

inline AsyncLock::Acquisition AsyncLock::lock_async() {
    return Acquisition(*this);
}

template <class F>
auto AsyncLock::execute_locked(F f) -> Promise<LockedResult<F>> {
    Agent::current().require_executor_for_wait("futon::AsyncLock::execute_locked");
    return detail::execute_holding(locking(), std::move(f));
}

// The waiting code of tasks is compiled once, in the library: see src/sync/awaits.cpp.
extern template class core::Await<AsyncLock::Locking>::Waiting;

}  // namespace futon

#include <futon/detail/end.hpp>
