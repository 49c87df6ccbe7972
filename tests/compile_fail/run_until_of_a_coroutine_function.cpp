// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>

int run(futon::EventLoop& loop) {
    return loop.run_until([]() -> futon::Promise<int> { co_return 1; });
}
