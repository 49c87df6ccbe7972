// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>

#include <futon/explorer/kernel.hpp>

namespace futon::platform {

/// The virtual clock of a schedule.
struct Clock {
    static std::chrono::steady_clock::time_point now() noexcept { return explorer::virtual_now(); }
    static std::chrono::nanoseconds shared_now() noexcept { return now().time_since_epoch(); }
};

}  // namespace futon::platform
