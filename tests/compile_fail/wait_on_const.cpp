// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>

void program(const std::atomic<int>& word) {
    futon::wait(word, 0);
}
