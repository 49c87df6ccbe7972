// SPDX-License-Identifier: MIT
#pragma once

#include <cstdlib>

#include "support/depth.hpp"
#include "support/sanitizers.hpp"

namespace futon::test {

/// `count`, or a tenth of it under a sanitizer, and a quarter where tests are shallow.
inline int scaled(int count) {
    if (is_sanitized) return count / 10;
    return is_shallow() ? count / 4 : count;
}

/// So many that a test which took time in proportion to the square of this would take minutes.
inline const int many = scaled(400'000);

/// How long a timed test runs; FUTON_STRESS_SECONDS in the environment replaces the usual time.
inline double stress_seconds(double usual) {
    const char* wanted = std::getenv("FUTON_STRESS_SECONDS");
    if (wanted != nullptr) return std::atof(wanted);
    return is_shallow() ? usual / 3 : usual;
}

}  // namespace futon::test
