// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>

auto attempt(std::atomic<int*>& word) {
    return futon::fetch_add_and_notify(word, 1);
}
