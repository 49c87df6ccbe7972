// SPDX-License-Identifier: MIT
#pragma once

#include <cstdlib>

#include "support/sanitizers.hpp"

namespace futon::test {

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
