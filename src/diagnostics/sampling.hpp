// SPDX-License-Identifier: MIT
#pragma once

#include "diagnostics/registry.hpp"

// Seeing samples only: one of so many acquisitions of each thread.
//
// How many a thread passes over is drawn for each sample, with the same chance for each acquisition, so that no period of the program
// meets one of the samples. A sample stands for as many acquisitions as are passed over on average. It is decided on where an attempt
// to wait begins, or else where something is acquired; a wait is a sample if its attempt is.
//
// Between the modes nothing is carried over but counts: at each change, under the mutex, all holders, waiters and sampled holds
// are forgotten, and what enters one looks at the mode again under the mutex. So a release that its mode does not tell of leaves no
// holder behind that a deadlock could be seen in.
namespace futon::diagnostics::detail {

/// How many acquisitions the next one stands for; 0 if it is passed over.
std::uint32_t draw() noexcept;

/// What `observe` was told last: 0 for everything.
std::uint32_t sampled_one_in() noexcept;

void sample_acquired(const void* address, Hold hold, std::uint64_t amount, const core::probe::Attempt* attempt,
                     std::uint32_t weight);
bool may_be_sampled(const void* address) noexcept;  ///< whether its hold may be one of the samples
void sample_released(const void* address, Hold hold) noexcept;
void forget_sampled(const void* address) noexcept;  ///< it has ended; under the mutex

/// A wait is over: for the profiles of its object and place. Under the mutex.
void note_profile(const Stamp& stamp, std::int64_t until) noexcept;

}  // namespace futon::diagnostics::detail
