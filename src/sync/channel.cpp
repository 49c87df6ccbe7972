// SPDX-License-Identifier: MIT
#include <stdexcept>

#include <futon/core/queue/wait_table.hpp>
#include <futon/detail/contract.hpp>
#include <futon/detail/sync/channel_state.hpp>

#include "platform/spin.hpp"

namespace futon::detail {

void check_channel_unused([[maybe_unused]] const void* channel) noexcept {
#ifdef FUTON_CHECKED
    expects(core::table_for(channel).count(channel) == 0,
            "a channel is destroyed when no sender and no receiver waits");
#endif
}

bool spin_for_channel(bool (*poll)(void* object) noexcept, void* object) noexcept {
    return platform::spin_yielding_until([=] { return poll(object); });
}

void throw_channel_too_large() {
    throw std::length_error("futon::Channel: no memory could hold so many items");
}

}  // namespace futon::detail
