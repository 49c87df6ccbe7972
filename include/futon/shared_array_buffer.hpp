// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstddef>
#include <memory>

#include <futon/detail/export.hpp>

namespace futon {

/// Zeroed bytes that threads share. Copies of the handle refer to the same bytes, which live as long as the last
/// handle.
///
///     futon::SharedArrayBuffer buffer(64);
///     futon::AsyncLock& lock = futon::AsyncLock::at(buffer, 0);
///
/// A growable buffer never moves: its maximum size is reserved in the address space at once, and memory is committed as
/// it grows. So views, words and waiters stay valid.
///
/// Threads  any, for every function of the same buffer; assigning to one handle object is not synchronized.
/// Spec     SharedArrayBuffer.
class FUTON_API SharedArrayBuffer {
public:
    /// A buffer of fixed size. Throws std::bad_alloc.
    explicit SharedArrayBuffer(std::size_t byte_length);

    /// A growable buffer.
    ///
    /// Throws  std::length_error if `byte_length > max_byte_length`; std::bad_alloc if the maximum cannot be reserved.
    SharedArrayBuffer(std::size_t byte_length, std::size_t max_byte_length);

    /// Makes another handle of the same bytes. Moving copies: a moved-from handle stays valid.
    SharedArrayBuffer(const SharedArrayBuffer&) noexcept = default;
    SharedArrayBuffer& operator=(const SharedArrayBuffer&) noexcept = default;
    ~SharedArrayBuffer() = default;

    /// The current length, the maximum length, and whether the maximum may differ.
    std::size_t byte_length() const noexcept;
    std::size_t max_byte_length() const noexcept;
    bool growable() const noexcept;

    /// Makes the buffer longer; the new bytes are zero.
    ///
    /// Threads  any; if two threads grow it at once, the one whose length is no longer larger throws.
    /// Throws   std::length_error if the buffer is not growable, or if `new_byte_length` is more than the maximum or
    ///          less than the present length; std::bad_alloc. Nothing has changed then.
    void grow(std::size_t new_byte_length);

    /// Copies the bytes [begin, end) to a new buffer of fixed size.
    ///
    /// The copy as a whole is not atomic: a byte that another thread changes meanwhile may be the old or the new one.
    ///
    /// Throws  std::out_of_range unless begin <= end <= byte_length(); std::bad_alloc
    SharedArrayBuffer slice(std::size_t begin, std::size_t end) const;
    SharedArrayBuffer slice(std::size_t begin = 0) const { return slice(begin, byte_length()); }

    /// The first byte, aligned to 64.
    std::byte* data() const noexcept;

    /// Whether both are handles of the same bytes.
    friend bool operator==(const SharedArrayBuffer&, const SharedArrayBuffer&) noexcept = default;

private:
    class Block;

    std::shared_ptr<Block> block_;
};

}  // namespace futon

#include <futon/detail/end.hpp>
