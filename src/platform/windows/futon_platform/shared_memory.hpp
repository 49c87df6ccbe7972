// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace futon::platform {

/// Pages that are reserved as a whole and committed as they are asked for.
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
