// SPDX-License-Identifier: MIT
#include <futon/core/operation/select_group.hpp>

#include <algorithm>

#include "platform/spin.hpp"

namespace futon::core {

void SelectGroup::back_off(std::uint32_t attempts) const noexcept {
    if (attempts == 1) return;
    // Groups lie on stacks and in frames: these bits of their addresses differ.
    const auto step = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(this) >> 6) % 16 + 1;
    for (std::uint32_t pauses = std::min(attempts, 32u) * step; pauses != 0; --pauses) platform::spin_pause();
}

}  // namespace futon::core
