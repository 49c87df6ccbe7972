// SPDX-License-Identifier: MIT
#include "platform/shared_memory.hpp"

#include <algorithm>
#include <new>

#include "platform/windows/windows.hpp"

namespace futon::platform {

SharedMemory::SharedMemory(std::size_t byte_length, std::size_t max_byte_length) : data_(nullptr) {
    // The system rounds up to whole pages; a reservation cannot be empty.
    void* const reserved = VirtualAlloc(nullptr, std::max<std::size_t>(max_byte_length, 1), MEM_RESERVE, PAGE_NOACCESS);
    if (reserved == nullptr) throw std::bad_alloc();
    data_ = static_cast<std::byte*>(reserved);
    try {
        commit(byte_length);
    } catch (...) {
        VirtualFree(data_, 0, MEM_RELEASE);
        throw;
    }
}

SharedMemory::~SharedMemory() {
    VirtualFree(data_, 0, MEM_RELEASE);
}

void SharedMemory::commit(std::size_t byte_length) {
    // Pages that are committed already stay as they are.
    if (byte_length > 0 && VirtualAlloc(data_, byte_length, MEM_COMMIT, PAGE_READWRITE) == nullptr)
        throw std::bad_alloc();
}

}  // namespace futon::platform
