// SPDX-License-Identifier: MIT
#pragma once

#include <futon/futon.hpp>

// As a program declares it that asks clang what is used without its lock.
struct Account {
    futon::AsyncLock lock;
    long balance __attribute__((guarded_by(lock))) = 0;
};
