// SPDX-License-Identifier: MIT
#pragma once

namespace futon::platform {

// ThreadSanitizer does not see what a bare system call orders, and would report it as a race. So it is told. The names below are
// the sanitizer's; they are looked up when a program is linked or loaded, and stand for nothing where it is not there.

#if defined(__ELF__) && defined(__GNUC__)

extern "C" {
[[gnu::weak]] void __tsan_acquire(void* object);
[[gnu::weak]] void __tsan_release(void* object);
}

/// What was released at this address, by any thread, happens before what comes now. After the load that saw it.
inline void note_acquire(const void* object) noexcept {
    if (__tsan_acquire != nullptr) [[unlikely]]
        __tsan_acquire(const_cast<void*>(object));
}

/// What comes before this happens before what follows a `note_acquire` of this address. Before the store that tells of it.
inline void note_release(const void* object) noexcept {
    if (__tsan_release != nullptr) [[unlikely]]
        __tsan_release(const_cast<void*>(object));
}

#else

inline void note_acquire(const void*) noexcept {}
inline void note_release(const void*) noexcept {}

#endif

}  // namespace futon::platform
