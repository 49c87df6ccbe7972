// SPDX-License-Identifier: MIT
#include "platform/shared_memory.hpp"

#include <limits>
#include <new>

#include <sys/mman.h>
#include <unistd.h>

namespace futon::platform {

namespace {

/// Rounded up to whole pages, and at least one: mappings cannot be empty.
std::size_t whole_pages(std::size_t byte_length) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    if (byte_length > std::numeric_limits<std::size_t>::max() - page) throw std::bad_alloc();
    return byte_length == 0 ? page : (byte_length + page - 1) / page * page;
}

}  // namespace

SharedMemory::SharedMemory(std::size_t byte_length, std::size_t max_byte_length)
    : data_(nullptr), max_byte_length_(max_byte_length) {
    void* reserved =
        mmap(nullptr, whole_pages(max_byte_length), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (reserved == MAP_FAILED) throw std::bad_alloc();
    data_ = static_cast<std::byte*>(reserved);
    try {
        commit(byte_length);
    } catch (...) {
        munmap(data_, whole_pages(max_byte_length_));
        throw;
    }
}

SharedMemory::~SharedMemory() {
    munmap(data_, whole_pages(max_byte_length_));
}

void SharedMemory::commit(std::size_t byte_length) {
    if (byte_length > 0 && mprotect(data_, whole_pages(byte_length), PROT_READ | PROT_WRITE) != 0)
        throw std::bad_alloc();
}

}  // namespace futon::platform
