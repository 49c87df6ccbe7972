// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>

futon::WaitResult control(std::atomic<int>& word, futon::Word<short> other) {
    futon::notify(other, 1);
    return futon::wait(word, 0);
}
