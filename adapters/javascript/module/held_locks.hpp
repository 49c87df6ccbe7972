// SPDX-License-Identifier: MIT
#pragma once

#include <futon/sync/async_lock.hpp>

/// Which locks the program's JavaScript holds, in all its threads: what tells the acquisitions of a lock apart, so that a guard
/// releases its own only.
///
/// A lock is noted by the thread that has acquired it, and the note is taken away before it is released. If C++ releases what
/// JavaScript has acquired, which is a mistake, the note stays until JavaScript acquires the lock again.
///
/// Threads  any. None waits for another.
namespace futon::javascript {

/// The caller has locked it. Returns the number of the acquisition, which is not zero.
///
/// Throws  std::bad_alloc; then there is no note
int note_acquired(const AsyncLock& lock);

/// Takes the note of that acquisition away; any, if the number is zero. Returns whether there was one.
bool forget_acquired(const AsyncLock& lock, int acquisition) noexcept;

/// Whether the lock is held by that acquisition.
bool is_acquired(const AsyncLock& lock, int acquisition) noexcept;

/// A note as it was at the call.
struct Acquisition {
    int number = 0;  ///< zero if JavaScript does not hold the lock
    int thread = 0;
};

/// Who holds the lock.
Acquisition acquisition_of(const void* lock) noexcept;

}  // namespace futon::javascript
