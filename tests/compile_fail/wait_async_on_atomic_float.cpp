// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>

auto attempt(std::atomic<float>& word) {
    return futon::wait_async(word, 0.0f);
}
