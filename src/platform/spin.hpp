// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <utility>

#include <futon/detail/atomic.hpp>

#include <futon_platform/spin.hpp>

#include "platform/polled.hpp"

namespace futon::platform {

/// Spinning: a thread polls for some microseconds before it goes to sleep until another thread releases or does
/// something.
///
/// - `pause()` is a hint to the processor that the caller only waits.
/// - `sees_several_processors()` tells whether two threads of this process can run at once, as far as is known.
/// - `until(poll)` calls `poll` now and then until it returns true, or until going to sleep is the better choice.
///   Returns whether `poll` returned true. If spinning cannot help, it never calls `poll`.
/// - `until_replaced(what, poll, is_replaced)` is the same for what another thread may be on its way to try, too: then
///   `is_replaced` returns true, and the caller is to go to sleep at once if it has only just got the same thing, which has
///   the address `what`, by spinning. `poll` returns a `Polled`; while that is `unchanged`, it is called more often.
/// - `until_yielding(poll)` is the same as `until` if the other thread may not be running now: from time to time the caller yields
///   its processor, and after each poll while other threads want it. `until_yielding(poll, longest, begin)` takes no longer than
///   that from now, which is `begin`, beside what those others take. If they have lately kept the processor for long, it never
///   calls `poll`.
/// - `until_yielding_seldom(poll)` is the same if many threads may wait for what only one of them gets: then it is mostly they who
///   want the processor, and yielding helps none of them.
/// - `until_clear<bit>(word)` returns when the bit was clear, which a thread sets for a few dozen instructions. The caller
///   yields its processor if that thread may have lost its own, and soon sleeps, so that one of a lower priority can run.
/// - `leave_alone(word)` backs off as after a poll. For a caller whose exchange failed because another thread had changed the
///   word since it was loaded.
/// - `let_others_poll()` backs off for as long as a thread that spins may leave between two polls. So one that spins for what the
///   caller has just released, and will want again, gets it.
// clang-format off
template <class S>
concept SpinnerContract = requires(bool (*poll)(), Polled (*poll_for)(), const detail::Atomic<std::uint32_t>& word,
                                   std::chrono::microseconds longest, std::chrono::steady_clock::time_point begin) {
    { S::pause() } noexcept;
    { S::sees_several_processors() } noexcept -> std::same_as<bool>;
    { S::until(poll) } noexcept -> std::same_as<bool>;
    { S::until_replaced(&poll, poll_for, poll) } noexcept -> std::same_as<bool>;
    { S::until_yielding(poll) } noexcept -> std::same_as<bool>;
    { S::until_yielding(poll, longest, begin) } noexcept -> std::same_as<bool>;
    { S::until_yielding_seldom(poll) } noexcept -> std::same_as<bool>;
    { S::template until_clear<1>(word) } noexcept;
    { S::leave_alone(word) } noexcept;
    { S::let_others_poll() } noexcept;
};
// clang-format on

static_assert(SpinnerContract<Spinner>);

inline void spin_pause() noexcept {
    Spinner::pause();
}

inline bool sees_several_processors() noexcept {
    return Spinner::sees_several_processors();
}

template <class Poll>
bool spin_until(Poll&& poll) noexcept {
    return Spinner::until(std::forward<Poll>(poll));
}

template <class Poll, class IsReplaced>
bool spin_until_replaced(const void* what, Poll&& poll, IsReplaced&& is_replaced) noexcept {
    return Spinner::until_replaced(what, std::forward<Poll>(poll), std::forward<IsReplaced>(is_replaced));
}

template <class Poll>
bool spin_yielding_until(Poll&& poll) noexcept {
    return Spinner::until_yielding(std::forward<Poll>(poll));
}

template <class Poll>
bool spin_yielding_until(Poll&& poll, std::chrono::microseconds longest,
                         std::chrono::steady_clock::time_point begin) noexcept {
    return Spinner::until_yielding(std::forward<Poll>(poll), longest, begin);
}

template <class Poll>
bool spin_yielding_seldom_until(Poll&& poll) noexcept {
    return Spinner::until_yielding_seldom(std::forward<Poll>(poll));
}

template <std::uint32_t bit>
void spin_until_clear(const detail::Atomic<std::uint32_t>& word) noexcept {
    Spinner::until_clear<bit>(word);
}

template <class T>
void leave_alone(const detail::Atomic<T>& word) noexcept {
    Spinner::leave_alone(word);
}

inline void let_others_poll() noexcept {
    Spinner::let_others_poll();
}

}  // namespace futon::platform
