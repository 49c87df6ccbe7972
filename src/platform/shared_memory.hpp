// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace futon::platform {

/// Address space for `max_byte_length` bytes, of which the first ones become usable, zeroed, as they are committed.
///
/// Aligned to 64. Throws std::bad_alloc.
class SharedMemory {
public:
    SharedMemory(std::size_t byte_length, std::size_t max_byte_length);
    ~SharedMemory();
    SharedMemory(const SharedMemory&) = delete;
    SharedMemory& operator=(const SharedMemory&) = delete;

    /// Makes the first `byte_length` bytes usable, at most `max_byte_length`. Throws std::bad_alloc.
    void commit(std::size_t byte_length);

    std::byte* data() const noexcept { return data_; }

private:
    std::byte* data_;
    [[maybe_unused]] std::size_t max_byte_length_;  // by platforms that reserve address space
};

}  // namespace futon::platform
