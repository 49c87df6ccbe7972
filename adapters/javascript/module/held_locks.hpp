// SPDX-License-Identifier: MIT
#pragma once

#include <futon/sync/async_lock.hpp>

/// Records which locks the program's JavaScript holds, in all its threads. The numbers distinguish the acquisitions of
/// a lock, so that a guard releases only its own.
///
/// The thread that acquired a lock records it, and removes the record before it releases the lock. If C++ releases a
/// lock that JavaScript acquired, which is an error, the record stays until JavaScript acquires the lock again.
///
/// Threads  any; no thread waits for another.
namespace futon::javascript {

/// Records that the caller has locked it. Returns the number of the acquisition, which is not zero.
///
/// Throws  std::bad_alloc; there is no record then
int note_acquired(const AsyncLock& lock);

/// Removes the record of that acquisition; of any, if the number is zero. Returns whether there was one.
bool forget_acquired(const AsyncLock& lock, int acquisition) noexcept;

/// Whether that acquisition holds the lock.
bool is_acquired(const AsyncLock& lock, int acquisition) noexcept;

/// A record as it was at the time of the call.
struct Acquisition {
    int number = 0;  ///< zero if JavaScript does not hold the lock
    int thread = 0;
};

/// The acquisition that holds the lock.
Acquisition acquisition_of(const void* lock) noexcept;

}  // namespace futon::javascript
