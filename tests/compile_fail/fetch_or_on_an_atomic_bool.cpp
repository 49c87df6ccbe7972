// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>

auto attempt(std::atomic<bool>& word) {
    return futon::fetch_or_and_notify(word, true, 1);
}
