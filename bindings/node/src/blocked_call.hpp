// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include <futon/deadline.hpp>

#include "core/blocked_waiter.hpp"
#include "environment.hpp"

namespace futon::node {

/// The waiter of a thread of JavaScript that is blocked in `wait` or in `lock`.
class BlockedCall final : public core::BlockedWaiter {
public:
    /// `handoff_deadline` is that of the lock, if it waits for one.
    explicit BlockedCall(const Environment& environment,
                         std::optional<Deadline> handoff_deadline = std::nullopt) noexcept
        : environment_(environment),
          handoff_deadline_(handoff_deadline.value_or(Deadline::never())),
          is_for_lock_(handoff_deadline.has_value()) {}

    const Environment& environment() const noexcept { return environment_; }
    bool is_for_lock() const noexcept { return is_for_lock_; }

    bool wants_grant() const noexcept override { return handoff_deadline_.is_due(); }

private:
    const Environment& environment_;
    const Deadline handoff_deadline_;
    const bool is_for_lock_;
};

}  // namespace futon::node
