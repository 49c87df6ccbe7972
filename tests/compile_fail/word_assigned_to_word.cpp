// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>

void program(futon::Int32Array& array) {
    array[0] = array[1];
}
