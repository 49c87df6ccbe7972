// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <cstring>

#include <futon/detail/atomic.hpp>
#include <futon/explorer/kernel.hpp>

#include "platform/polled.hpp"

namespace futon::platform {

/// A fiber that could poll can as well be scheduled later. If spinning itself is explored, one poll reaches all states.
struct Spinner {
    static void pause() noexcept {}

    static bool sees_several_processors() noexcept { return true; }

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

    template <class Poll>
    static bool until_yielding(Poll&& poll, std::chrono::microseconds, std::chrono::steady_clock::time_point) noexcept {
        return until(poll);
    }

    template <class Poll>
    static bool until_yielding_seldom(Poll&& poll) noexcept {
        return until(poll);
    }

    template <class T>
    static void leave_alone(const detail::Atomic<T>&) noexcept {}

    static void let_others_poll() noexcept {}

    template <std::uint32_t bit>
    static void until_clear(const detail::Atomic<std::uint32_t>& word) noexcept {
        explorer::await("bit", &word, [](const void* place) noexcept {
            std::uint32_t newest = 0;
            static_assert(sizeof word == sizeof newest);
            std::memcpy(&newest, place, sizeof newest);
            return (newest & bit) == 0;
        });
    }
};

}  // namespace futon::platform
