// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>

futon::WaitResult program(std::atomic<int>& word, std::chrono::system_clock::time_point time) {
    return futon::wait(word, 0, time);
}
