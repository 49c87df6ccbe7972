// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>

struct Padded {
    char a;
    int b;
};

auto attempt(std::atomic<Padded>& word) {
    return futon::wait(word, Padded{});
}
