// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "call.hpp"

namespace futon::test {

/// Three agents that make three calls each, made of a seed. Some are threads that may block, some event loops.
struct GeneratedProgram {
    struct Agent {
        bool is_loop = false;
        bool polls = false;  ///< a loop that polls between its calls, not only in the end
        std::vector<Call> calls;
    };

    static constexpr int agents = 3;
    static constexpr int calls = 3;

    explicit GeneratedProgram(std::uint64_t seed);

    std::string to_string() const;

    std::uint64_t seed;
    std::array<Agent, agents> agent;
};

}  // namespace futon::test
