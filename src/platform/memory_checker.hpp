// SPDX-License-Identifier: MIT
#pragma once

namespace futon::platform {

// Sanitizers find a use of freed memory only if the heap gets it back. A program may be built with one while the library that it
// links was not, so the library looks for a function of each. The names are the sanitizers', and are null in a program without.

#if defined(__ELF__) && defined(__GNUC__)

// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" {
[[gnu::weak]] void __asan_init();
[[gnu::weak]] void __hwasan_init();
[[gnu::weak]] void __msan_init();
[[gnu::weak]] void __tsan_init();
}
// NOLINTEND(bugprone-reserved-identifier)

/// Whether the program is built with a sanitizer that watches the heap.
inline bool is_heap_watched() noexcept {
    return __asan_init != nullptr || __hwasan_init != nullptr || __msan_init != nullptr || __tsan_init != nullptr;
}

#elif defined(__SANITIZE_ADDRESS__)

constexpr bool is_heap_watched() noexcept {
    return true;
}

#elif defined(__has_feature)

constexpr bool is_heap_watched() noexcept {
    return __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer);
}

#else

constexpr bool is_heap_watched() noexcept {
    return false;
}

#endif

}  // namespace futon::platform
