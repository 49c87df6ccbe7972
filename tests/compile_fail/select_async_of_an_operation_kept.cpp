// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>

futon::Promise<void> choose(futon::Event& event) {
    auto waiting = event.waiting();
    co_await futon::select_async(waiting);
}
