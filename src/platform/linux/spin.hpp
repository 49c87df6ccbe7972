// SPDX-License-Identifier: MIT
#pragma once

namespace futon::platform {

inline constexpr int spin_limit = 64;

#if defined(__x86_64__) || defined(__i386__)
inline void spin_pause() noexcept {
    __builtin_ia32_pause();
}
#elif defined(__aarch64__)
inline void spin_pause() noexcept {
    __asm__ __volatile__("isb");
}
#else
inline void spin_pause() noexcept {}
#endif

}  // namespace futon::platform
