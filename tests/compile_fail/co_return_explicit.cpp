// SPDX-License-Identifier: MIT
#include <memory>

#include <futon/futon.hpp>

futon::Promise<std::unique_ptr<int>> attempt() {
    co_return new int(7);
}
