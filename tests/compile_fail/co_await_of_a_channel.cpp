// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>

futon::Promise<int> take(futon::Channel<int>& channel) {
    co_return co_await channel;
}
