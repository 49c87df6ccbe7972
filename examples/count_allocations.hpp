// SPDX-License-Identifier: MIT
#pragma once

// Counts what a program allocates, by replacing the global operator new. For one source file of a program.

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

inline std::atomic<int> allocations{0};

// Clang's thread sanitizer brings an operator new that cannot be replaced; nothing is counted there.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define CANNOT_COUNT_ALLOCATIONS
#endif
#endif

#ifndef CANNOT_COUNT_ALLOCATIONS

void* operator new(std::size_t size) {
    ++allocations;
    if (void* memory = std::malloc(size)) return memory;
    throw std::bad_alloc();
}

void operator delete(void* memory) noexcept {
    std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}

#endif
