// SPDX-License-Identifier: MIT
#pragma once

#if __cplusplus < 202002L && !(defined(_MSVC_LANG) && _MSVC_LANG >= 202002L)
#error "futon needs C++20: compile with -std=c++20 or later"
#endif

/// The parts of the version.
#define FUTON_VERSION_MAJOR 0
#define FUTON_VERSION_MINOR 1
#define FUTON_VERSION_PATCH 0

/// The version as a number, for `#if FUTON_VERSION >= 200`: major * 10000 + minor * 100 + patch. 0.1.0 is 100.
#define FUTON_VERSION (FUTON_VERSION_MAJOR * 10000 + FUTON_VERSION_MINOR * 100 + FUTON_VERSION_PATCH)
