// SPDX-License-Identifier: MIT
//
// An allocation takes whole cache lines here. Which small objects of a program lie in one line is a matter of its heap, and would
// be found now and then.
#include <cstddef>
#include <cstdlib>
#include <new>

#include "recorder.hpp"

void* operator new(std::size_t size) {
    const std::size_t lines = size / futon::test::line_size + 1;
    void* const memory = std::aligned_alloc(futon::test::line_size, lines * futon::test::line_size);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}
