// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>

#include <futon/native_handle.hpp>
#include <futon_platform/parker.hpp>

namespace futon::platform {

/// A parker until its descriptor is asked for; from then on an eventfd for the token and a timerfd for the alarm, under an
/// epoll descriptor that is readable when either is.
class Doorbell {
public:
    Doorbell() noexcept = default;
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
    bool has_descriptor() const noexcept { return either_ >= 0; }
    void close_all() noexcept;

    Parker parker_;
    int token_ = -1;
    int alarm_ = -1;
    std::chrono::steady_clock::time_point alarm_deadline_ = std::chrono::steady_clock::time_point::max();
    int either_ = -1;
};

}  // namespace futon::platform
