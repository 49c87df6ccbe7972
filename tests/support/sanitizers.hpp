// SPDX-License-Identifier: MIT
#pragma once

namespace futon::test {

/// Which sanitizers this program is built with; gcc has a macro for each, clang a feature.
#if !defined(__has_feature)
#define __has_feature(feature) 0
#define FUTON_TESTS_DEFINE_HAS_FEATURE
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
inline constexpr bool is_address_sanitized = true;
#else
inline constexpr bool is_address_sanitized = false;
#endif
#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
inline constexpr bool is_thread_sanitized = true;
#else
inline constexpr bool is_thread_sanitized = false;
#endif
#ifdef FUTON_TESTS_DEFINE_HAS_FEATURE
#undef __has_feature
#undef FUTON_TESTS_DEFINE_HAS_FEATURE
#endif

inline constexpr bool is_sanitized = is_address_sanitized || is_thread_sanitized;

}  // namespace futon::test
