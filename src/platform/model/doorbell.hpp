// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>

#include "parker.hpp"

namespace futon::platform {

/// A parker; fibers have no descriptors.
class Doorbell {
public:
    void ring() noexcept { parker_.unpark(); }
    void wait() noexcept { parker_.park(); }
    bool wait_until(std::chrono::steady_clock::time_point moment) noexcept { return parker_.park_until(moment); }
    int native_handle() { return -1; }
    void set_alarm(std::chrono::steady_clock::time_point) noexcept {}

private:
    Parker parker_;
};

}  // namespace futon::platform
