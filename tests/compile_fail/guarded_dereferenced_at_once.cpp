// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>

int main() {
    futon::Guarded<int> value(7);
    const int& number = *value.lock();  // the lock is released before it is read
    return number;
}
