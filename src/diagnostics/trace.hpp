// SPDX-License-Identifier: MIT
#pragma once

#include "diagnostics/registry.hpp"

// What the timeline is made of. All under the registry's mutex.
namespace futon::diagnostics::detail {

/// A wait has ended: for its object's times, and for the timeline. Also forgets it.
void note_wait(WaitRecord& wait) noexcept;

/// A hold ends now.
void note_hold(const void* address, const Object& object, const Holder& holder, std::int64_t until) noexcept;

/// The calling thread wakes a waiter. Returns the number of the wake-up; 0 if nothing is recorded.
std::uint64_t note_wake() noexcept;

/// A job of a loop has ended. Not under the mutex.
void note_job(const ThreadRecord& thread, std::int64_t since, std::int64_t length) noexcept;

}  // namespace futon::diagnostics::detail
