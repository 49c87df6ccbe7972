// SPDX-License-Identifier: MIT
#pragma once

#include "diagnostics/registry.hpp"

// Seeing samples only: one of so many acquisitions.
//
// Time has windows, a sixteenth of it, and in them a thread passes over so many acquisitions until the next sample; out of them it passes
// over all, for the price of reading one word. How long windows last, how far they are apart and how many acquisitions a thread passes
// over is drawn, so that no period of the program meets the samples. A sample stands for as many acquisitions as are passed over on
// average, in a window and out of it, by the times that windows have really taken. It is decided on where an attempt to wait begins, or
// else where something is acquired; a wait is a sample if its attempt is. What has begun in a window is seen to its end.
//
// Between the modes nothing is carried over but counts: at each change, under the mutex, all holders, waiters and sampled holds
// are forgotten, and what enters one looks at the mode again under the mutex. So a release that its mode does not tell of leaves no
// holder behind that a deadlock could be seen in.
namespace futon::diagnostics::detail {

/// How many acquisitions the next one stands for; 0 if it is passed over, or everything is seen.
std::uint32_t draw() noexcept;

/// What `observe` was told last: 0 for everything.
std::uint32_t sampled_one_in() noexcept;

/// As `observe`, but that windows are opened and closed by the caller; 0 for everything. Times are nanoseconds of the steady clock.
void set_mode(std::uint32_t one_in, bool has_windows, std::int64_t time);

/// The window is to end so long after that time. Under the mutex.
void open_window(std::int64_t time, std::int64_t length) noexcept;
void close_window(std::int64_t time) noexcept;
void close_overdue_window(std::int64_t time) noexcept;  ///< if the thread that is to close it comes too late

std::uint32_t passed_over_on_average() noexcept;  ///< in a window
std::uint32_t weight_of_samples() noexcept;

void sample_acquired(const void* address, Hold hold, std::uint64_t amount, const core::probe::Attempt* attempt,
                     std::uint32_t weight);
bool may_be_sampled(const void* address) noexcept;  ///< whether its hold may be one of the samples
void sample_released(const void* address, Hold hold) noexcept;
void forget_sampled(const void* address) noexcept;  ///< it has ended; under the mutex
void forget_all_sampled() noexcept;                 ///< as above

/// A wait is over: for the profiles of its object and place. Under the mutex.
void note_profile(const WaitRecord& wait, std::int64_t until) noexcept;

}  // namespace futon::diagnostics::detail
