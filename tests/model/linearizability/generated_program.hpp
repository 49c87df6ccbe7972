// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "call.hpp"
#include "subject.hpp"

namespace futon::test {

/// Three agents that make three calls each, made of a seed. Some are threads that may block, some event loops.
struct GeneratedProgram {
    struct Agent {
        bool is_loop = false;
        bool polls = false;  ///< a loop that polls between its calls, not only in the end
        bool runs = true;    ///< a loop that runs in the end until all has settled; else it ends and abandons the rest
        std::vector<Call> calls;
    };

    static constexpr int agents = 3;
    static constexpr int calls = 3;

    /// About one of these.
    GeneratedProgram(std::uint64_t seed, std::span<const Subject::Type> subjects);

    std::string to_string() const;

    std::uint64_t seed;
    Subject subject;
    std::array<Agent, agents> agent;
};

}  // namespace futon::test
