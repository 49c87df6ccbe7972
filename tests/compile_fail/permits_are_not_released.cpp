// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>

void give_back(futon::Semaphore::Permits& permits) {
    permits.release();
}
