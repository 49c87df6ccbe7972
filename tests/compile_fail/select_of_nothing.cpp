// SPDX-License-Identifier: MIT
#include <futon/select.hpp>

void choose() {
    futon::select();
}
