// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>

void program(std::atomic<bool>& word) {
    futon::wait_async(word, 7);
}
