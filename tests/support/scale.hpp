// SPDX-License-Identifier: MIT
#pragma once

#include <cstdlib>

namespace futon::test {

/// Whether a sanitizer slows this program down.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool is_sanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool is_sanitized = true;
#else
inline constexpr bool is_sanitized = false;
#endif
#else
inline constexpr bool is_sanitized = false;
#endif

/// `count`, or a tenth of it under a sanitizer.
constexpr int scaled(int count) {
    return is_sanitized ? count / 10 : count;
}

/// How long a timed test runs; FUTON_STRESS_SECONDS in the environment replaces the usual time.
inline double stress_seconds(double usual) {
    const char* wanted = std::getenv("FUTON_STRESS_SECONDS");
    return wanted == nullptr ? usual : std::atof(wanted);
}

}  // namespace futon::test
