// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>

bool has_item(futon::Channel<int>& channel) {
    const futon::Received<int> item = channel.receive_async();
    return item.has_value();
}
