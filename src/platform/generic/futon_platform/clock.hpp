// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>

namespace futon::platform {

struct Clock {
    static std::chrono::steady_clock::time_point now() noexcept { return std::chrono::steady_clock::now(); }
};

}  // namespace futon::platform
