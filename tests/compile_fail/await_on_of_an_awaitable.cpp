// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>

void wait(futon::Executor& executor, futon::Event& event) {
    static_cast<void>(futon::await_on(executor, event.wait_async()));
}
