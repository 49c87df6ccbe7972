// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>

futon::Promise<int&> attempt();

void force() {
    (void)attempt();
}
