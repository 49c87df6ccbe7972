// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>

futon::Promise<int> attempt(futon::Promise<int>& promise) {
    return futon::Promise<int>(promise);
}
