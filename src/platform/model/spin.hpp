// SPDX-License-Identifier: MIT
#pragma once

namespace futon::platform {

inline constexpr int spin_limit = 0;

inline void spin_pause() noexcept {}

}  // namespace futon::platform
