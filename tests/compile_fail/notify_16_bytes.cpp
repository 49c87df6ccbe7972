// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>

struct Wide {
    long a;
    long b;
};

auto attempt(std::atomic<Wide>& word) {
    return futon::notify(word);
}
