// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>

void program(int& cell) {
    futon::wait(cell, 0);
}
