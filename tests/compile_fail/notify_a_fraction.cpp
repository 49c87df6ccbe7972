// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>

void program(std::atomic<int>& word) {
    futon::notify(word, 1.5);
}
