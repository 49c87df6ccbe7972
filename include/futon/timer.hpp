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

/// A timer that an executor keeps. It is intrusive, so arming and disarming it can neither fail nor allocate. Derive
/// from it in code that arms timers again and again, such as a protocol. In a coroutine, `sleep_for` is easier; to end
/// a wait in time, give it limits. An executor of your own keeps its timers in a `core::TimerWheel`.
///
///     struct Resend final : futon::Timer {
///         void fire() noexcept override { send_again(); }
///     };
///     executor.arm(resend, futon::Deadline::now() + 50ms);
///
/// Threads   only the executor's own.
/// Requires  it is not armed when it is armed again, nor when it is destroyed.
class FUTON_API Timer {
public:
    Timer() noexcept = default;
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;

    /// Called once, not before the time point that it was armed for. May arm or destroy any timer, including this one.
    virtual void fire() noexcept = 0;

    /// Called instead of `fire` if the executor ends first: frees what the timer holds.
    virtual void discard() noexcept {}

protected:
    virtual ~Timer() = default;

private:
    friend class core::TimerWheel;

    // For the wheel, each of whose slots is a ring.
    Timer* next_ = nullptr;
    Timer* previous_ = nullptr;
    std::uint64_t tick_ = 0;
    std::uint16_t slot_ = 0;
};

}  // namespace futon

#include <futon/detail/end.hpp>
