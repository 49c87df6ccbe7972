// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>

struct Options {
    futon::Deadline timeout = std::chrono::milliseconds(20);  // would count from the making of the options
};
