// SPDX-License-Identifier: MIT
// What each public header begins with; `detail/end.hpp` ends it. Included again and again, so without `#pragma once`.

// Said once, and the compilation ends: an `#error` would be followed by all that C++17 does not know.
#if __cplusplus < 202002L && !(defined(_MSVC_LANG) && _MSVC_LANG >= 202002L)
#include <futon needs C++20: compile with -std=c++20 or later>
#endif

// A parameter of ours may have the name of a global variable of the program's, which it cannot know.
#if defined(__GNUC__) && !defined(FUTON_TELL_SHADOWS)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#endif
