// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>

void run(futon::EventLoop& loop, futon::Event& event) {
    loop.run_until(event.wait_async());
}
