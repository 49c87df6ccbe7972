// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <utility>

namespace futon::platform {

/// What a poll of a thread that spins says. `unchanged` is in vain, too, and what it polls is as it was at the poll before.
enum class Polled : std::uint8_t { in_vain, unchanged, with_success, for_the_last_time };

constexpr Polled polled(bool has_succeeded, bool is_over, bool is_unchanged = false) noexcept {
    if (has_succeeded) return Polled::with_success;
    if (is_over) return Polled::for_the_last_time;
    return is_unchanged ? Polled::unchanged : Polled::in_vain;
}

/// The same of polls of one word.
template <class Word>
class PollsOf {
public:
    constexpr Polled polled(Word seen, bool has_succeeded, bool is_over) noexcept {
        return platform::polled(has_succeeded, is_over, std::exchange(last_, seen) == seen);
    }

private:
    Word last_ = 0;
};

}  // namespace futon::platform
