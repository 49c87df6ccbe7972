// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <functional>

#include <futon/detail/thread_safety.hpp>

#include <futon_platform/mutex.hpp>

namespace futon::platform {

/// A lock for a few dozen instructions. Constant-initialized and trivially destroyed where possible, so that a table of
/// them is there before the first constructor and after the last destructor.
///
/// - `lock()` waits until the mutex is the caller's. On a thread that may not block it spins.
/// - `lock_second()` is `lock()` by a thread that holds one other mutex, whose address is lower. [order]
/// - `unlock()` releases it.
///
/// Ordering  everything before `unlock` happens before the next `lock` returns.
// clang-format off
template <class M>
concept MutexContract = requires(M& mutex) {
    { mutex.lock() } noexcept;
    { mutex.lock_second() } noexcept;
    { mutex.unlock() } noexcept;
};
// clang-format on

static_assert(MutexContract<Mutex>);

/// Holds a mutex for a scope.
class [[nodiscard]] FUTON_SCOPED_CAPABILITY MutexLock {
public:
    explicit MutexLock(Mutex& mutex) noexcept FUTON_ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
    ~MutexLock() FUTON_RELEASE() { mutex_.unlock(); }
    MutexLock(const MutexLock&) = delete;
    MutexLock& operator=(const MutexLock&) = delete;

private:
    Mutex& mutex_;
};

/// Holds two mutexes, which may be the same, for a scope. Locks them in the order of their addresses, so that no two
/// threads wait for each other. [order]
class [[nodiscard]] FUTON_SCOPED_CAPABILITY MutexPairLock {
public:
    MutexPairLock(Mutex& one, Mutex& other) noexcept FUTON_ACQUIRE(one, other)
        : first_(std::less<>()(&one, &other) ? one : other), second_(&first_ == &one ? other : one) {
        first_.lock();
        if (&first_ != &second_) second_.lock_second();
    }
    ~MutexPairLock() FUTON_RELEASE() {
        if (&first_ != &second_) second_.unlock();
        first_.unlock();
    }
    MutexPairLock(const MutexPairLock&) = delete;
    MutexPairLock& operator=(const MutexPairLock&) = delete;

private:
    Mutex& first_;
    Mutex& second_;
};

}  // namespace futon::platform
