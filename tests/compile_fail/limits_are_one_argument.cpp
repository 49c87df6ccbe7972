// SPDX-License-Identifier: MIT
#include <chrono>

#include <futon/atomics.hpp>

void wait(std::atomic<int>& word, std::stop_token stop) {
    futon::wait(word, 0, std::chrono::milliseconds(5), stop);
}
