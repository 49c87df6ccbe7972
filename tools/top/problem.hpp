// SPDX-License-Identifier: MIT
#pragma once

#include <stdexcept>
#include <string>

namespace futon::top {

/// What the command ends with.
enum class Exit {
    success = 0,
    failed = 1,
    misused = 2,
    no_process = 3,
    of_another_user = 4,
    not_serving = 5,
    broken_answer = 6,
};

/// Why there is nothing to show: a sentence for the user.
class Problem : public std::runtime_error {
public:
    Problem(Exit exit, const std::string& sentence) : std::runtime_error(sentence), exit_(exit) {}

    Exit exit() const noexcept { return exit_; }

private:
    Exit exit_;
};

}  // namespace futon::top
