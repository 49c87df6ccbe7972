// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>

void receive(futon::Channel<int>& channel) {
    (void)futon::select(futon::choice_if(true, channel), futon::otherwise());
}
