// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>

bool attempt(futon::Word<bool> word) {
    return word.fetch_add(true);
}
