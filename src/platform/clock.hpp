// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>

namespace futon::platform {

/// The steady clock, which only a platform may read.
std::chrono::steady_clock::time_point now() noexcept;

}  // namespace futon::platform
