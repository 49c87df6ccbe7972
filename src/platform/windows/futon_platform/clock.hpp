// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>

namespace futon::platform {

/// The performance counter. It may count in steps of 100 ns, and threads that act within one step must be told apart.
struct Clock {
    static std::chrono::steady_clock::time_point now() noexcept { return std::chrono::steady_clock::now(); }
    static std::chrono::nanoseconds shared_now() noexcept;
};

}  // namespace futon::platform
