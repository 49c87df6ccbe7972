// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>

futon::Promise<void> wait(futon::Event& event) {
    co_await event;
}
