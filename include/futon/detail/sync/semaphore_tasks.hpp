// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstdint>
#include <utility>

#include <futon/core/driver/await.hpp>
#include <futon/deadline.hpp>
#include <futon/detail/stop_token.hpp>
#include <futon/detail/sync/semaphore_operations.hpp>
#include <futon/detail/warn_unused.hpp>
#include <futon/limits.hpp>
#include <futon/sync/semaphore.hpp>

// How coroutines acquire permits of a Semaphore: its awaitables.
namespace futon {

/// What `acquire_async` returns: `co_await` gives a WaitResult.
class FUTON_WARN_UNUSED [[nodiscard("nothing is acquired before it is awaited: write co_await")]] Semaphore::Acquisition
    : public core::Await<Acquiring> {
public:
    using Await::Await;
};

/// What `scoped_acquire_async` returns: `co_await` gives Permits.
class FUTON_WARN_UNUSED
    [[nodiscard("nothing is acquired before it is awaited: write co_await")]] Semaphore::ScopedAcquisition
    : public core::Await<ScopedAcquiring> {
public:
    using Await::Await;
};

inline Semaphore::Acquisition Semaphore::acquire_async(std::uint64_t count, Limits limits) {
    return {acquiring(count), std::move(limits)};
}
inline Semaphore::Acquisition Semaphore::acquire_async(Limits limits) {
    return acquire_async(1, std::move(limits));
}
inline Semaphore::ScopedAcquisition Semaphore::scoped_acquire_async(std::uint64_t count, Limits limits) {
    return {scoped_acquiring(count), std::move(limits)};
}
inline Semaphore::ScopedAcquisition Semaphore::scoped_acquire_async(Limits limits) {
    return scoped_acquire_async(1, std::move(limits));
}

// The waiting code of tasks is compiled once, in the library: see src/sync/awaits.cpp.
extern template class core::Await<Semaphore::Acquiring>::Waiting;
extern template class core::Await<Semaphore::ScopedAcquiring>::Waiting;

}  // namespace futon

#include <futon/detail/end.hpp>
