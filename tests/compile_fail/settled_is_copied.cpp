// SPDX-License-Identifier: MIT
#include <memory>

#include <futon/futon.hpp>
#include <futon/select.hpp>

futon::Promise<void> choose(const futon::Promise<std::unique_ptr<int>>& promise) {
    co_await futon::select_async(futon::settled(promise));
}
