// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <futon/deadline.hpp>
#include <futon/detail/stop_token.hpp>
#include <futon/limits.hpp>

namespace futon::core {

/// When a call that has begun gives up: its limits with the deadline that a duration has become. It does not own the
/// stop token, so it is for the arguments of a call and for the frame of a blocked thread.
///
/// Requires  the limits or the token outlive it
class Until {
public:
    Until(Deadline deadline) noexcept : deadline_(deadline) {}
    Until(Deadline deadline, const std::stop_token& stop) noexcept : deadline_(deadline), stop_(&stop) {}

    /// The limits of a call that begins now, or that has begun if they are `from_now()`.
    explicit Until(const Limits& limits) noexcept : Until(limits.deadline(), limits.stop()) {}

    /// The deadline; `never()` if there is none.
    Deadline deadline() const noexcept { return deadline_; }

    /// The stop token; null if there is none.
    const std::stop_token* stop() const noexcept { return stop_; }

private:
    Deadline deadline_;
    const std::stop_token* stop_ = nullptr;
};

}  // namespace futon::core

#include <futon/detail/end.hpp>
