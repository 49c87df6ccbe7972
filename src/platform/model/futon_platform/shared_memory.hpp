// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace futon::platform {

/// Memory that is there from the beginning, but zeroed only when it is committed, after a schedule point: until then it
/// holds what no program expects in it.
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
    std::size_t committed_ = 0;
};

}  // namespace futon::platform
