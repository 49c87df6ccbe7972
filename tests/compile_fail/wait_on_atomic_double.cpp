// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>

auto attempt(std::atomic<double>& word) {
    return futon::wait(word, 0.0);
}
