// SPDX-License-Identifier: MIT
#include <utility>

#include <futon/futon.hpp>

void use(futon::Channel<int>& channel) {
    futon::Channel<int> moved(std::move(channel));
}
