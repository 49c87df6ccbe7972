// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>

#include <futon/native_handle.hpp>
#include <futon_platform/parker.hpp>

namespace futon::platform {

/// A parker; the standard library knows no handles of the system.
class Doorbell {
public:
    void ring() noexcept { parker_.unpark(); }
    void wait() noexcept { parker_.park(); }
    bool wait_until(std::chrono::steady_clock::time_point deadline) noexcept { return parker_.park_until(deadline); }
    NativeHandle native_handle();
    void clear() noexcept {}
    void set_alarm(std::chrono::steady_clock::time_point) noexcept {}

private:
    Parker parker_;
};

}  // namespace futon::platform
