// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>

#include <futon/detail/atomic.hpp>
#include <futon/native_handle.hpp>

namespace futon::platform {

/// The token is an auto-reset event, which a wait of the system takes. A wait with a deadline waits for it and for a timer.
///
/// The handle for a host is another event: many a host's wait would take the token, and then a wait here would never
/// end. It is a level, which stays set for a host that looks twice, and it is set while a ring is announced or the alarm has
/// gone off.
///
///     member         set by                                cleared by
///     token_         ring, after all else [last-touch]     the wait that takes it
///     is_announced_  ring, before the level                the loop's thread, with the token
///     is_expected_   the loop's thread, with the alarm      the callback that goes off; the loop's thread, which
///                                                           then need not wait for one
///     has_gone_off_  the callback that goes off, before    the loop's thread, when no callback can come
///                    the level; set_alarm
///     level_         ring, the callback, the loop's thread the loop's thread
///
/// The loop's thread clears the level while others set it. So it looks at the two words after it has cleared it, and sets
/// it again if one is set: the other thread has set its word before the level. [lower]
///
/// The thread pool may have seen the timer when the alarm is set anew, and call back later: Wine's was seen to. So a
/// callback that none expects does nothing, and one that takes the place of the next is an alarm that is early, which `clear`
/// sets again. What the end closes is a group, which no callback outlasts.
class Doorbell {
public:
    /// Throws std::system_error.
    Doorbell();
    ~Doorbell();
    Doorbell(const Doorbell&) = delete;
    Doorbell& operator=(const Doorbell&) = delete;

    void ring() noexcept;
    void wait() noexcept;
    bool wait_until(std::chrono::steady_clock::time_point deadline) noexcept;
    NativeHandle native_handle();
    void clear() noexcept;
    void set_alarm(std::chrono::steady_clock::time_point deadline) noexcept;

private:
    using TimePoint = std::chrono::steady_clock::time_point;
    struct AlarmCallback;

    bool has_handle() const noexcept { return level_ != nullptr; }
    void token_was_taken() noexcept;
    void lower() noexcept;
    void arm() noexcept;
    void disarm() noexcept;
    void close_handle() noexcept;

    NativeHandle token_;
    NativeHandle sleep_timer_ = nullptr;  // made by the first wait with a deadline

    // With a handle only.
    NativeHandle level_ = nullptr;
    NativeHandle alarm_timer_ = nullptr;
    void* alarms_ = nullptr;  // a group of the thread pool, of one
    void* alarm_ = nullptr;   // the thread pool's wait for the timer
    bool is_armed_ = false;
    TimePoint alarm_deadline_ = TimePoint::max();
    detail::Atomic<bool> is_expected_{false};
    detail::Atomic<bool> has_gone_off_{false};
    detail::Atomic<bool> is_announced_{false};
};

}  // namespace futon::platform
