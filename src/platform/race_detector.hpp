// SPDX-License-Identifier: MIT
#pragma once

namespace futon::platform {

// A program may be built with ThreadSanitizer while the library that it links, such as an installed one, was not. Then
// the sanitizer does not see the library's atomics, and would report accesses that they order as races. So the library
// tells it wherever one thread hands something over to another. The names below are the sanitizer's, and are null in a
// program without it. They are resolved when the program is linked or loaded, so the library need not know.

#if defined(__ELF__) && defined(__GNUC__)

extern "C" {
[[gnu::weak]] void __tsan_acquire(void* object);
[[gnu::weak]] void __tsan_release(void* object);
}

/// Whether the program is built with the sanitizer.
inline bool is_race_detected() noexcept {
    return __tsan_acquire != nullptr;
}

/// What any thread released at this address happens before what comes now. Called after the load that saw it.
inline void note_acquire(const void* object) noexcept {
    if (__tsan_acquire != nullptr) [[unlikely]]
        __tsan_acquire(const_cast<void*>(object));
}

/// What comes before this happens before what follows a `note_acquire` of this address. Called before the store that
/// publishes it.
inline void note_release(const void* object) noexcept {
    if (__tsan_release != nullptr) [[unlikely]]
        __tsan_release(const_cast<void*>(object));
}

#else

inline constexpr bool is_race_detected() noexcept {
    return false;
}
inline void note_acquire(const void*) noexcept {}
inline void note_release(const void*) noexcept {}

#endif

}  // namespace futon::platform
