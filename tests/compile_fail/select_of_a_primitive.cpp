// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>

void choose(futon::Event& event) {
    futon::select(futon::in_order, event);
}
