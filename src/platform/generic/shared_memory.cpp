// SPDX-License-Identifier: MIT
#include "platform/shared_memory.hpp"

#include <cstring>
#include <new>

namespace futon::platform {

namespace {

constexpr std::align_val_t alignment{64};

}  // namespace

SharedMemory::SharedMemory(std::size_t, std::size_t max_byte_length)
    : data_(static_cast<std::byte*>(::operator new(max_byte_length, alignment))), max_byte_length_(max_byte_length) {
    std::memset(data_, 0, max_byte_length);
}

SharedMemory::~SharedMemory() {
    ::operator delete(data_, alignment);
}

void SharedMemory::commit(std::size_t) {}  // all of it is usable from the beginning

}  // namespace futon::platform
