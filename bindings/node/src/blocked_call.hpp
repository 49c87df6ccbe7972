// SPDX-License-Identifier: MIT
#pragma once

#include <futon/async_lock.hpp>
#include <futon/deadline.hpp>

#include "core/blocked_waiter.hpp"
#include "environment.hpp"

namespace futon::node {

/// A thread of JavaScript that is blocked in `wait`, or in `lock`.
class BlockedCall final : public core::BlockedWaiter {
public:
    /// In the line of a word.
    explicit BlockedCall(const Environment& environment) noexcept : environment_(environment) {}

    /// In the line of a lock.
    BlockedCall(const Environment& environment, const AsyncLock& lock) noexcept
        : environment_(environment), patience_(lock.patience_of_line()) {}

    const Environment& environment() const noexcept { return environment_; }
    bool is_for_lock() const noexcept { return !patience_.is_never(); }

    bool wants_grant() const noexcept override { return patience_.is_due(); }

private:
    const Environment& environment_;
    const Deadline patience_ = Deadline::never();
};

}  // namespace futon::node
