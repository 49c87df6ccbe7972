// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>

#include <futon_platform/mutex.hpp>

namespace futon::platform {

/// A lock for a few dozen instructions. Constant-initialized and trivially destroyed where it can be, so that a table
/// of them is there before the first constructor and after the last destructor.
///
/// - `lock()` blocks until the mutex is the caller's, also on a thread that may not block: on such a thread it spins.
/// - `unlock()` releases it.
///
/// Ordering  everything before `unlock` happens before the next `lock` returns.
// clang-format off
template <class M>
concept MutexContract = requires(M& mutex) {
    { mutex.lock() } noexcept;
    { mutex.unlock() } noexcept;
};
// clang-format on

static_assert(MutexContract<Mutex>);

/// Holds a mutex for a scope.
class [[nodiscard]] MutexLock {
public:
    explicit MutexLock(Mutex& mutex) noexcept : mutex_(mutex) { mutex_.lock(); }
    ~MutexLock() { mutex_.unlock(); }
    MutexLock(const MutexLock&) = delete;
    MutexLock& operator=(const MutexLock&) = delete;

private:
    Mutex& mutex_;
};

}  // namespace futon::platform
