// SPDX-License-Identifier: MIT
#pragma once

namespace futon::platform {

// A program may be built with ThreadSanitizer while the library that it links was not, as an installed one is not. The
// sanitizer does not see the library's atomics then, and would report what they order as races of the program. So the library
// tells it, wherever it hands something over between threads: the names below are the sanitizer's, and stand for nothing
// in a program without it. They are looked up when the program is linked or loaded, so the library need not know.

#if defined(__ELF__) && defined(__GNUC__)

extern "C" {
[[gnu::weak]] void __tsan_acquire(void* object);
[[gnu::weak]] void __tsan_release(void* object);
}

/// Whether the program is built with the sanitizer.
inline bool is_race_detected() noexcept {
    return __tsan_acquire != nullptr;
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

inline constexpr bool is_race_detected() noexcept {
    return false;
}
inline void note_acquire(const void*) noexcept {}
inline void note_release(const void*) noexcept {}

#endif

}  // namespace futon::platform
