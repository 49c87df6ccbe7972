// SPDX-License-Identifier: MIT
#include <futon/shared_array_buffer.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>

#include <futon/detail/atomic.hpp>

#include "platform/mutex.hpp"
#include "platform/shared_memory.hpp"

namespace futon {

class FUTON_LOCAL SharedArrayBuffer::Block {
public:
    Block(std::size_t length, std::size_t max_length, bool may_grow)
        : memory(length, max_length), byte_length(length), max_byte_length(max_length), is_growable(may_grow) {}

    platform::SharedMemory memory;
    platform::Mutex growing;
    detail::Atomic<std::size_t> byte_length;
    const std::size_t max_byte_length;
    const bool is_growable;
};

SharedArrayBuffer::SharedArrayBuffer(std::size_t byte_length)
    : block_(std::make_shared<Block>(byte_length, byte_length, false)) {}

SharedArrayBuffer::SharedArrayBuffer(std::size_t byte_length, std::size_t max_byte_length) {
    if (byte_length > max_byte_length)
        throw std::length_error("futon::SharedArrayBuffer: byte length " + std::to_string(byte_length) +
                                " is more than the maximum of " + std::to_string(max_byte_length));
    block_ = std::make_shared<Block>(byte_length, max_byte_length, true);
}

std::size_t SharedArrayBuffer::byte_length() const noexcept {
    return block_->byte_length.load();
}

std::size_t SharedArrayBuffer::max_byte_length() const noexcept {
    return block_->max_byte_length;
}

bool SharedArrayBuffer::growable() const noexcept {
    return block_->is_growable;
}

std::byte* SharedArrayBuffer::data() const noexcept {
    return block_->memory.data();
}

void SharedArrayBuffer::grow(std::size_t new_byte_length) {
    if (!growable()) throw std::length_error("futon::SharedArrayBuffer::grow: the buffer has a fixed size");
    if (new_byte_length > max_byte_length())
        throw std::length_error("futon::SharedArrayBuffer::grow: " + std::to_string(new_byte_length) +
                                " bytes are more than the maximum of " + std::to_string(max_byte_length()));

    const platform::MutexLock hold(block_->growing);
    const std::size_t present = byte_length();
    if (new_byte_length < present)
        throw std::length_error("futon::SharedArrayBuffer::grow: cannot shrink from " + std::to_string(present) +
                                " to " + std::to_string(new_byte_length) + " bytes");
    block_->memory.commit(new_byte_length);
    block_->byte_length.store(new_byte_length);
}

SharedArrayBuffer SharedArrayBuffer::slice(std::size_t begin, std::size_t end) const {
    const std::size_t present = byte_length();
    if (begin > end || end > present)
        throw std::out_of_range("futon::SharedArrayBuffer::slice: [" + std::to_string(begin) + ", " +
                                std::to_string(end) + ") is not within " + std::to_string(present) + " bytes");

    // Byte by byte and atomically: others may be writing.
    SharedArrayBuffer copy(end - begin);
    for (std::size_t i = 0; i < end - begin; ++i)
        copy.data()[i] = detail::AtomicRef<std::byte>(data()[begin + i]).load(std::memory_order_relaxed);  // unordered
    return copy;
}

}  // namespace futon
