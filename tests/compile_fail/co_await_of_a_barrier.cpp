// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>

futon::Promise<void> wait(futon::Barrier<>& barrier) {
    co_await barrier;
}
