// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>

// As an author writes it who takes the blocking name: the second change would be without the lock.
void count(futon::Guarded<int>& number, futon::Event& answer) {
    (void)number.with_lock([&](int& value) -> futon::Promise<void> {
        ++value;
        co_await answer.wait_async();
        ++value;
    });
}
