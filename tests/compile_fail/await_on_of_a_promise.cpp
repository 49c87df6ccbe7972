// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>

futon::Promise<void> wait(futon::Executor& executor, futon::Event& event) {
    co_await futon::await_on(executor, event.waiting());
}
