// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

// Which futon a program is compiled with: for code that must work with several versions.

/// The parts of the version.
#define FUTON_VERSION_MAJOR 0
#define FUTON_VERSION_MINOR 1
#define FUTON_VERSION_PATCH 0

/// The version as a number, for `#if FUTON_VERSION >= 200`: major * 10000 + minor * 100 + patch, so 0.1.0 is 100.
#define FUTON_VERSION (FUTON_VERSION_MAJOR * 10000 + FUTON_VERSION_MINOR * 100 + FUTON_VERSION_PATCH)

#include <futon/detail/end.hpp>
