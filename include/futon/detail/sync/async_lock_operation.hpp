// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <mutex>
#include <utility>

#include <futon/core/operation/arbiter.hpp>
#include <futon/core/operation/operation.hpp>
#include <futon/core/probe.hpp>
#include <futon/deadline.hpp>
#include <futon/detail/export.hpp>
#include <futon/detail/stop_token.hpp>
#include <futon/detail/thread_safety.hpp>
#include <futon/detail/warn_unused.hpp>
#include <futon/limits.hpp>
#include <futon/sync/async_lock.hpp>
#include <futon/sync/async_lock_guard.hpp>
#include <futon/wait_result.hpp>

// The operation that locks an AsyncLock, and how threads get its guard and unlock it.
namespace futon {

/// "Lock it" as an operation, for `select` and the drivers of `core`.
class FUTON_API FUTON_WARN_UNUSED AsyncLock::Locking : public core::Arbiter<detail::LockRules>::Request {
public:
    using Result = Guard;
    static constexpr const char* name = "futon::AsyncLock::lock";

    explicit Locking(AsyncLock& lock) noexcept : Request(lock, one) {}

    bool try_now() noexcept {
        std::uint32_t seen = AsyncLock::free;
        return (!is_tried_ && duties() == 0 && lock().try_lock_expected(seen)) || try_now_contended();
    }
    bool try_spinning() noexcept;
    void give_back(core::WakeToken token) noexcept FUTON_NO_THREAD_SAFETY_ANALYSIS;
    Guard result(core::Ending ending) noexcept FUTON_NO_THREAD_SAFETY_ANALYSIS {
        const WaitResult result = core::to_wait_result(ending);
        if (result != WaitResult::ok) return Guard(result);
        core::probe::acquired(&lock(), core::probe::Hold::lock);
        return Guard(lock(), std::adopt_lock);
    }

private:
    friend class AsyncLock;
    friend class Condition;

    /// Tag: the first try has been made already.
    struct Tried {};
    Locking(AsyncLock& lock, Tried) noexcept : Request(lock, one), is_tried_(true) {}

    AsyncLock& lock() const noexcept { return *static_cast<AsyncLock*>(arbiter()); }
    bool try_now_contended() noexcept;

    bool is_tried_ = false;  // the first try has been made
};

inline AsyncLock::Locking AsyncLock::locking() noexcept {
    return Locking(*this);
}

inline AsyncLock::Guard AsyncLock::scoped_lock(const Limits& limits) {
    require_can_block("futon::AsyncLock::scoped_lock");
    const WaitResult result = lock(limits);
    return result == WaitResult::ok ? Guard(*this, std::adopt_lock) : Guard(result);
}

inline AsyncLock::Guard& AsyncLock::Guard::operator=(Guard&& other) noexcept {
    Guard taken(std::move(other));
    std::swap(lock_, taken.lock_);
    std::swap(result_, taken.result_);
    return *this;
}

inline AsyncLock::Guard::~Guard() {
    if (lock_ != nullptr) lock_->try_unlock();
}

inline void AsyncLock::Guard::unlock() {
    if (lock_ == nullptr) [[unlikely]]
        throw_not_held("futon::AsyncLock::Guard::unlock: it owns no lock");
    std::exchange(lock_, nullptr)->unlock();
}

inline void AsyncLock::Guard::unlock_fair() {
    if (lock_ == nullptr) [[unlikely]]
        throw_not_held("futon::AsyncLock::Guard::unlock_fair: it owns no lock");
    std::exchange(lock_, nullptr)->unlock_fair();
}

}  // namespace futon

#include <futon/detail/sync/async_lock_tasks.hpp>  // how tasks lock it

#include <futon/detail/end.hpp>
