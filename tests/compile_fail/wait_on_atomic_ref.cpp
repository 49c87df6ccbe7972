// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>

void program(int& cell) {
    futon::wait(std::atomic_ref<int>(cell), 0);
}
