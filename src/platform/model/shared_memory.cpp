// SPDX-License-Identifier: MIT
#include "platform/shared_memory.hpp"

#include <cstring>
#include <new>

#include <futon/explorer.hpp>

namespace futon::platform {

namespace {

constexpr std::align_val_t alignment{64};
constexpr int uncommitted = 0xdd;

}  // namespace

SharedMemory::SharedMemory(std::size_t byte_length, std::size_t max_byte_length)
    : data_(static_cast<std::byte*>(::operator new(max_byte_length, alignment))) {
    std::memset(data_, uncommitted, max_byte_length);
    commit(byte_length);
}

SharedMemory::~SharedMemory() {
    ::operator delete(data_, alignment);
}

void SharedMemory::commit(std::size_t byte_length) {
    explorer::point("commits memory", data_);
    if (byte_length <= committed_) return;
    std::memset(data_ + committed_, 0, byte_length - committed_);
    committed_ = byte_length;
}

}  // namespace futon::platform
