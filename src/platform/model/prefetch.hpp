// SPDX-License-Identifier: MIT
#pragma once

namespace futon::platform {

inline void prefetch(const void*) noexcept {}

}  // namespace futon::platform
