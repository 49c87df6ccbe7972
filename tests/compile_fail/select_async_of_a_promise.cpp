// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>

futon::Promise<void> choose(futon::Promise<int>& promise) {
    co_await futon::select_async(promise);
}
