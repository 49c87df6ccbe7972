// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstdint>

#include <futon/detail/chrono.hpp>
#include <futon/detail/export.hpp>

namespace futon {

namespace core {
class TimerWheel;
}

/// A timer that an executor keeps: intrusive, so that arming and disarming it can neither fail nor allocate.
///
/// Threads   the executor's own only.
/// Requires  it is armed only while it is not, and destroyed only while it is not.
class FUTON_API Timer {
public:
    Timer() noexcept = default;
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;

    /// Called once, not before the time point it was armed for. It may arm or destroy any timer, this one too.
    virtual void fire() noexcept = 0;

    /// Called instead of `fire` when the executor ends first: frees what the timer holds.
    virtual void discard() noexcept {}

protected:
    virtual ~Timer() = default;

private:
    friend class core::TimerWheel;

    Timer* next_ = nullptr;  // a slot of the wheel is a ring
    Timer* previous_ = nullptr;
    std::uint64_t tick_ = 0;
    std::uint16_t slot_ = 0;
};

}  // namespace futon

#include <futon/detail/end.hpp>
