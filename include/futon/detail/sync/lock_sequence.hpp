// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <utility>

#include <futon/detail/export.hpp>
#include <futon/detail/thread_safety.hpp>
#include <futon/sync/async_lock.hpp>
#include <futon/wait_result.hpp>

namespace futon {

template <std::size_t count>
class MultiGuard;

namespace detail {

/// Throws std::system_error (resource_deadlock_would_occur).
[[noreturn]] FUTON_API void throw_locked_twice();

template <std::size_t... indices>
auto no_guards(WaitResult why, std::index_sequence<indices...>) noexcept {
    return std::array<AsyncLock::Guard, sizeof...(indices)>{(static_cast<void>(indices), AsyncLock::Guard(why))...};
}

/// Acquires locks one after the other, in the order of their addresses, and releases them together.
template <std::size_t count>
class LockSequence {
public:
    using Locks = std::array<AsyncLock*, count>;

    explicit LockSequence(const Locks& locks) : asked_(locks), locks_(locks) {
        std::sort(locks_.begin(), locks_.end(), std::less<>());
        if (std::adjacent_find(locks_.begin(), locks_.end()) != locks_.end()) [[unlikely]]
            throw_locked_twice();
    }
    LockSequence(const LockSequence&) = delete;
    LockSequence& operator=(const LockSequence&) = delete;
    ~LockSequence() { release(); }

    bool is_complete() const noexcept { return held_ == count; }
    AsyncLock& next() const noexcept { return *locks_[held_]; }

    /// Counts the next lock as acquired.
    void add() noexcept { ++held_; }
    void add(AsyncLock::Guard guard) noexcept {
        guard.release();
        add();
    }

    /// Locks the remaining ones as far as they are free. Returns whether all are locked.
    bool try_rest() noexcept FUTON_NO_THREAD_SAFETY_ANALYSIS {
        while (!is_complete() && next().try_lock()) add();
        return is_complete();
    }

    void release() noexcept FUTON_NO_THREAD_SAFETY_ANALYSIS {
        while (held_ != 0) locks_[--held_]->try_unlock();
    }

    /// Moves the locks to a guard if the result is `ok`; else releases the acquired ones.
    MultiGuard<count> take(WaitResult result) noexcept FUTON_NO_THREAD_SAFETY_ANALYSIS {
        auto guards = no_guards(result, std::make_index_sequence<count>());
        if (result == WaitResult::ok) {
            held_ = 0;
            for (std::size_t i = 0; i < count; ++i) guards[i] = AsyncLock::Guard(*asked_[i], std::adopt_lock);
        } else {
            release();
        }
        return {std::move(guards), result};
    }

private:
    const Locks asked_;  // in the order of the arguments
    Locks locks_;        // in the order of their addresses
    std::size_t held_ = 0;
};

}  // namespace detail
}  // namespace futon

#include <futon/detail/end.hpp>
