// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>

struct Throws {
    Throws();
    Throws(Throws&&) noexcept(false);
};

void use() {
    futon::Channel<Throws> channel(1);
}
