// SPDX-License-Identifier: MIT
#include <cstddef>
#include <new>

#include <futon/explorer/kernel.hpp>

// The linker leads the library's allocations here.

extern "C" {

void* __real_calloc(std::size_t count, std::size_t size);
void* __real__Znwm(std::size_t size);

void* __wrap_calloc(std::size_t count, std::size_t size) {
    return futon::explorer::allocation_fails() ? nullptr : __real_calloc(count, size);
}

/// operator new(std::size_t)
void* __wrap__Znwm(std::size_t size) {
    if (futon::explorer::allocation_fails()) throw std::bad_alloc();
    return __real__Znwm(size);
}
}
