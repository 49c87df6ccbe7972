// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>

void use() {
    futon::Channel<int&> channel(1);
}
