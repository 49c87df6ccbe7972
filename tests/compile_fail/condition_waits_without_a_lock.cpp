// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>

void wait(futon::Condition& condition) {
    condition.wait([] { return true; });
}
