// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>

int main() {
    futon::Guarded<int> value(7);
    return value.with_lock([](int& number) -> int& { return number; });
}
