// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>

namespace futon::platform {

/// When a thread starts, Emscripten 3.1 estimates the distance of its clock from the main thread's, and is wrong by up
/// to 10 ms. So there are two clocks: one for deadlines, which is the calling thread's, and one for the times that
/// threads exchange.
struct Clock {
    static std::chrono::steady_clock::time_point now() noexcept { return std::chrono::steady_clock::now(); }
    static std::chrono::nanoseconds shared_now() noexcept;
};

}  // namespace futon::platform
