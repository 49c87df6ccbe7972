// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>

void wait_for(std::atomic<double>& word) {
    futon::waiting(word, 0.0);
}
