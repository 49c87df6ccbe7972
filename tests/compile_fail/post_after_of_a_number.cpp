// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>

void post(futon::EventLoop& loop) {
    loop.post_after(5, [] {});
}
