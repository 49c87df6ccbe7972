// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstdint>
#include <utility>

#include <futon/core/await.hpp>
#include <futon/deadline.hpp>
#include <futon/detail/stop_token.hpp>
#include <futon/detail/warn_unused.hpp>
#include <futon/sync/semaphore.hpp>
#include <futon/time_limit.hpp>

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

inline Semaphore::Acquisition Semaphore::acquire_async(std::uint64_t count, TimeLimit limit, std::stop_token stop) {
    return {acquiring(count), limit.deadline(), std::move(stop)};
}
inline Semaphore::Acquisition Semaphore::acquire_async(TimeLimit limit, std::stop_token stop) {
    return acquire_async(1, limit, std::move(stop));
}
inline Semaphore::Acquisition Semaphore::acquire_async(std::uint64_t count, std::stop_token stop) {
    return acquire_async(count, Deadline::never(), std::move(stop));
}
inline Semaphore::Acquisition Semaphore::acquire_async(std::stop_token stop) {
    return acquire_async(1, Deadline::never(), std::move(stop));
}
inline Semaphore::ScopedAcquisition Semaphore::scoped_acquire_async(std::uint64_t count, TimeLimit limit,
                                                                    std::stop_token stop) {
    return {scoped_acquiring(count), limit.deadline(), std::move(stop)};
}
inline Semaphore::ScopedAcquisition Semaphore::scoped_acquire_async(TimeLimit limit, std::stop_token stop) {
    return scoped_acquire_async(1, limit, std::move(stop));
}
inline Semaphore::ScopedAcquisition Semaphore::scoped_acquire_async(std::uint64_t count, std::stop_token stop) {
    return scoped_acquire_async(count, Deadline::never(), std::move(stop));
}
inline Semaphore::ScopedAcquisition Semaphore::scoped_acquire_async(std::stop_token stop) {
    return scoped_acquire_async(1, Deadline::never(), std::move(stop));
}

// The waiting code of tasks is compiled once, in the library: see src/sync/awaits.cpp.
extern template class core::Await<Semaphore::Acquiring>::Waiting;
extern template class core::Await<Semaphore::ScopedAcquiring>::Waiting;

}  // namespace futon

#include <futon/detail/end.hpp>
