// SPDX-License-Identifier: MIT
#include <stdexcept>

#include <futon/core/queue/wait_table.hpp>
#include <futon/detail/contract.hpp>
#include <futon/detail/sync/channel_state.hpp>

#include "platform/race_detector.hpp"
#include "platform/spin.hpp"

namespace futon::detail {

void check_channel_unused([[maybe_unused]] const void* channel) noexcept {
#ifdef FUTON_CHECKED
    expects(core::table_for(channel).count(channel) == 0,
            "a channel is destroyed when no sender and no receiver waits");
#endif
}

std::uint32_t lock_busy_channel(core::Atomic<std::uint32_t>& word) noexcept {
    while (true) {
        platform::spin_until_clear<ChannelBits::busy>(word);
        std::uint32_t bits = word.load(std::memory_order_relaxed) & ~ChannelBits::busy;  // decided by the exchange
        const bool is_locked = word.compare_exchange_strong(bits, bits | ChannelBits::busy,
                                                            std::memory_order_acquire,   // [channel]
                                                            std::memory_order_relaxed);  // tried again
        if (!is_locked) continue;
        platform::note_acquire(&word);  // a program whose race detector does not see this code releases inline
        return bits;
    }
}

bool spin_for_channel(bool (*poll)(void* object) noexcept, void* object) noexcept {
    return platform::spin_yielding_seldom_until([=] { return poll(object); });
}

void throw_channel_too_large() {
    throw std::length_error("futon::Channel: no memory could hold so many items");
}

}  // namespace futon::detail
