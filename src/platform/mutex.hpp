// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>

#include <mutex.hpp>  // the platform's own, found on the build's include path

namespace futon::platform {

/// A lock for a few dozen instructions. Constant-initialized and trivially destroyed where it can be, so that a table
/// of them is there before the first constructor and after the last destructor.
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
