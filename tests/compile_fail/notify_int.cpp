// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>

void program(int& cell) {
    futon::notify(cell);
}
