// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <utility>

#include <futon/sync/async_lock.hpp>
#include <futon/sync/guarded.hpp>
#include <futon/wait_result.hpp>

namespace futon {

/// Access to the value of a Guarded, for as long as this owns its lock; or the reason why there is none.
///
///     if (auto list = scores.lock(5ms)) list->push_back(7);
///     else log(to_string(list.result()));
///
/// Use it where a function is not enough: to keep the value over several statements, over `co_await`, or to wait at a
/// `Condition`. It cannot be copied. What it is moved from has no access.
template <class T>
template <class Value>
class [[nodiscard]] Guarded<T>::Access {
public:
    Access(Access&&) noexcept = default;
    Access& operator=(Access&&) noexcept = default;

    /// Whether it owns the lock, so that the value can be reached.
    bool has_access() const noexcept { return guard_.owns_lock(); }
    explicit operator bool() const noexcept { return has_access(); }

    /// `ok` if it has access, else `timed_out` or `cancelled`.
    WaitResult result() const noexcept { return guard_.result(); }

    /// The value. Not for an Access that ends with the statement. Throws std::system_error (operation_not_permitted) if
    /// there is no access.
    Value& operator*() const&;
    Value& operator*() const&& = delete;
    Value* operator->() const;

    /// Unlocks before the end of the scope. Throws std::system_error (operation_not_permitted) if there is no access.
    void unlock();
    void unlock_fair();

    /// The guard of the lock, for a wait at a `Condition`: `changed.wait(list.guard(), [&] { return !list->empty();
    /// })`.
    AsyncLock::Guard& guard() noexcept { return guard_; }

private:
    friend class Guarded::Acquiring<Value>;
    Access(AsyncLock::Guard guard, Value* value) noexcept : guard_(std::move(guard)), value_(value) {}

    void require_access() const;

    AsyncLock::Guard guard_;
    Value* value_;
};

}  // namespace futon

#include <futon/detail/sync/guarded_operation.hpp>  // what yields it

#include <futon/detail/end.hpp>
