// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>

namespace futon::platform {

/// Emscripten 3.1 guesses, when a thread starts, how far its clock is from the main thread's, and is wrong by up to 10 ms: so
/// deadlines, which are the calling thread's, and what threads tell each other are two clocks.
struct Clock {
    static std::chrono::steady_clock::time_point now() noexcept { return std::chrono::steady_clock::now(); }
    static std::chrono::nanoseconds shared_now() noexcept;
};

}  // namespace futon::platform
