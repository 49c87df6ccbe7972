// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>

// As an author writes it who takes the blocking name: the Once would be done at the first wait.
void connect(futon::Once& once, futon::Event& answer) {
    once.call([&]() -> futon::Promise<void> { co_await answer.wait_async(); });
}
