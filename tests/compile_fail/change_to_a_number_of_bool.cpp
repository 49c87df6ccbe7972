// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>

auto attempt(std::atomic<bool>& word) {
    return futon::compare_exchange_and_notify(word, false, 7);
}
