// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>

void receive(futon::Channel<int>& channel) {
    (void)futon::select(channel, futon::otherwise());
}
