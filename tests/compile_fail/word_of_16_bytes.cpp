// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>

struct Wide {
    long a;
    long b;
};

futon::Word<Wide> attempt(Wide& cell) {
    return cell;
}
