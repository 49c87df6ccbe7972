// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>

void then(futon::Promise<futon::AsyncLock::Guard>& promise) {
    static_cast<void>(promise.then([](futon::AsyncLock::Guard) {}));
}
