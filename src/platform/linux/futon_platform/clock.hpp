// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>

namespace futon::platform {

struct Clock {
    static std::chrono::steady_clock::time_point now() noexcept { return std::chrono::steady_clock::now(); }
    static std::chrono::nanoseconds shared_now() noexcept { return now().time_since_epoch(); }
};

}  // namespace futon::platform
