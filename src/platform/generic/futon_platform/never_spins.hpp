// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>

namespace futon::platform {

/// What a `Spinner` has in common where, without a hint to the processor, spinning only keeps other threads from working.
struct NeverSpins {
    static void pause() noexcept {}

    static bool sees_several_processors() noexcept { return false; }

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

    template <class Poll>
    static bool until_yielding(Poll&&, std::chrono::microseconds, std::chrono::steady_clock::time_point) noexcept {
        return false;
    }

    template <class Poll>
    static bool until_yielding_seldom(Poll&&) noexcept {
        return false;
    }

    template <class Word>
    static void leave_alone(const Word&) noexcept {}

    static void let_others_poll() noexcept {}
};

}  // namespace futon::platform
