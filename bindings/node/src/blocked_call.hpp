// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include <futon/deadline.hpp>

#include "core/blocked_waiter.hpp"
#include "environment.hpp"

namespace futon::node {

/// A thread of JavaScript that is blocked in `wait`, or in `lock`.
class BlockedCall final : public core::BlockedWaiter {
public:
    /// `patience` is of the lock that it is for, if any.
    explicit BlockedCall(const Environment& environment, std::optional<Deadline> patience = std::nullopt) noexcept
        : environment_(environment),
          patience_(patience.value_or(Deadline::never())),
          is_for_lock_(patience.has_value()) {}

    const Environment& environment() const noexcept { return environment_; }
    bool is_for_lock() const noexcept { return is_for_lock_; }

    bool wants_grant() const noexcept override { return patience_.is_due(); }

private:
    const Environment& environment_;
    const Deadline patience_;
    const bool is_for_lock_;
};

}  // namespace futon::node
