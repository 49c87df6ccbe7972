// SPDX-License-Identifier: MIT
#pragma once

#include <cstdlib>
#include <string_view>

namespace futon::test {

/// Whether the tests that can go to any depth are to stay shallow: explorations within few preemptions, fewer generated
/// programs, a shorter stress. FUTON_TEST_DEPTH=shallow in the environment says so, which `./dev test` sets; `./dev test
/// --deep` does not.
inline bool is_shallow() {
    const char* depth = std::getenv("FUTON_TEST_DEPTH");
    return depth != nullptr && std::string_view(depth) == "shallow";
}

}  // namespace futon::test
