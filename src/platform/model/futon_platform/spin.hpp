// SPDX-License-Identifier: MIT
#pragma once

#include <futon/explorer/kernel.hpp>

#include "platform/polled.hpp"

namespace futon::platform {

/// A fiber that could poll can as well be scheduled later. If spinning itself is explored, one poll reaches all states.
struct Spinner {
    static void pause() noexcept {}

    template <class Poll>
    static bool until(Poll&& poll) noexcept {
        return explorer::spins() && poll();
    }

    /// The caller can as well be scheduled after that thread.
    template <class Poll, class IsReplaced>
    static bool until_replaced(const void*, Poll&& poll, IsReplaced&&) noexcept {
        return until([&] { return poll() == Polled::with_success; });
    }

    template <class Poll>
    static bool until_yielding(Poll&& poll) noexcept {
        return until(poll);
    }
};

}  // namespace futon::platform
