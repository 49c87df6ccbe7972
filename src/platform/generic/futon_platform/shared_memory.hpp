// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace futon::platform {

/// Memory that is all usable from the beginning: the standard library cannot reserve without committing.
class SharedMemory {
public:
    SharedMemory(std::size_t byte_length, std::size_t max_byte_length);
    ~SharedMemory();
    SharedMemory(const SharedMemory&) = delete;
    SharedMemory& operator=(const SharedMemory&) = delete;

    void commit(std::size_t byte_length);
    std::byte* data() const noexcept { return data_; }

private:
    std::byte* data_;
};

}  // namespace futon::platform
