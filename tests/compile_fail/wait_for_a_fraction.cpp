// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>

void program(std::atomic<int>& word) {
    futon::wait(word, 1.5);
}
