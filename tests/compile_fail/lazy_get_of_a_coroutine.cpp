// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>

int& fetch(futon::Lazy<int>& number) {
    return number.get([]() -> futon::Promise<int> { co_return 7; });
}
