// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstddef>
#include <new>

#include <futon/detail/export.hpp>

namespace futon::detail {

/// Memory for a promise or the frame of a coroutine: a block that the current event loop has kept, or one of the heap.
///
/// Throws  std::bad_alloc
[[nodiscard]] FUTON_API void* allocate_reused(std::size_t size);

/// Frees what `allocate_reused` gave for this size. The current event loop may keep the block.
///
/// Threads  any: each block is a whole one of the heap, so any loop may keep it
FUTON_API void free_reused(void* memory, std::size_t size) noexcept;

/// What derives from this is allocated in such memory.
struct InReusedMemory {
    // NOLINTNEXTLINE(misc-new-delete-overloads): the size is needed
    static void* operator new(std::size_t size) { return allocate_reused(size); }
    static void operator delete(void* memory, std::size_t size) noexcept { free_reused(memory, size); }

    // A value may be aligned to more than the heap's blocks are.
    static void* operator new(std::size_t size, std::align_val_t alignment) { return ::operator new(size, alignment); }
    static void operator delete(void* memory, std::size_t /*size*/, std::align_val_t alignment) noexcept {
        ::operator delete(memory, alignment);
    }
};

}  // namespace futon::detail

#include <futon/detail/end.hpp>
