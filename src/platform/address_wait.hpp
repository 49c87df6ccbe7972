// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>

#include <futon/detail/atomic.hpp>
#include <futon_platform/address_wait.hpp>

namespace futon::platform {

/// Sleeping on a word of four bytes, as several operating systems offer it. Only platforms that take their `Parker` and
/// `Mutex` from the folder `address_wait`, or their `Spinner` from `processor`, need it; no room above the platform does.
///
/// - `wait(word, expected)` sleeps while `word` holds `expected`: the comparison and falling asleep are one step for
///   `wake_one`. May return for no reason.
/// - `wait_until(word, expected, deadline)` is the same, but at most until `deadline` of the steady clock. May return
///   early: the caller reads the clock.
/// - `wake_one(word)` wakes one sleeper. It does not touch the word itself: the memory may be gone.
// clang-format off
template <class A>
concept AddressWaitContract = requires(detail::Atomic<std::uint32_t>& word, std::uint32_t expected,
                                       std::chrono::steady_clock::time_point deadline) {
    { A::wait(word, expected) } noexcept;
    { A::wait_until(word, expected, deadline) } noexcept;
    { A::wake_one(word) } noexcept;
};
// clang-format on

static_assert(AddressWaitContract<AddressWait>);

}  // namespace futon::platform
