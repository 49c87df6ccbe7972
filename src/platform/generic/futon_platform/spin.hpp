// SPDX-License-Identifier: MIT
#pragma once

namespace futon::platform {

/// Without a hint to the processor, spinning only keeps other threads from working.
struct Spinner {
    static void pause() noexcept {}

    template <class Poll>
    static bool until(Poll&&) noexcept {
        return false;
    }

    template <class Poll, class IsReplaced>
    static bool until_replaced(const void*, Poll&&, IsReplaced&&) noexcept {
        return false;
    }

    template <class Poll>
    static bool until_yielding(Poll&&) noexcept {
        return false;
    }
};

}  // namespace futon::platform
