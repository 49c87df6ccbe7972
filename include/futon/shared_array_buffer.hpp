// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstddef>
#include <memory>

#include <futon/detail/export.hpp>

namespace futon {

/// Zeroed bytes that threads share: copies of the handle are the same bytes, which live as long as the last handle.
///
/// A growable buffer never moves: its largest size is reserved in the address space when it is made, and its pages come
/// into being as it grows. Views, words and waiters stay valid.
///
/// Threads  any, for every function of the same buffer; assigning one handle object is not synchronized.
/// Spec     SharedArrayBuffer.
class FUTON_API SharedArrayBuffer {
public:
    /// A buffer of fixed size. Throws std::bad_alloc.
    explicit SharedArrayBuffer(std::size_t byte_length);

    /// A growable buffer.
    ///
    /// Throws  std::length_error if `byte_length > max_byte_length`; std::bad_alloc if so much cannot be reserved.
    SharedArrayBuffer(std::size_t byte_length, std::size_t max_byte_length);

    /// Another handle of the same bytes. A handle that was moved from stays one too: moving is copying.
    SharedArrayBuffer(const SharedArrayBuffer&) noexcept = default;
    SharedArrayBuffer& operator=(const SharedArrayBuffer&) noexcept = default;
    ~SharedArrayBuffer() = default;

    /// How many bytes there are now, how many there may be, and whether that is more.
    std::size_t byte_length() const noexcept;
    std::size_t max_byte_length() const noexcept;
    bool growable() const noexcept;

    /// Makes the buffer longer; the new bytes are zero.
    ///
    /// Threads  any; of two that grow it at once, the one that would no longer grow it throws.
    /// Throws   std::length_error if the buffer is not growable, if `new_byte_length` is more than the maximum, or less
    ///          than the present length; std::bad_alloc. Nothing has changed then.
    void grow(std::size_t new_byte_length);

    /// A new buffer of fixed size with a copy of the bytes [begin, end).
    ///
    /// The copy is not atomic as a whole: bytes that another thread changes meanwhile may be the old or the new ones.
    ///
    /// Throws  std::out_of_range if not begin <= end <= byte_length(); std::bad_alloc
    SharedArrayBuffer slice(std::size_t begin, std::size_t end) const;
    SharedArrayBuffer slice(std::size_t begin = 0) const { return slice(begin, byte_length()); }

    /// The first byte; aligned to 64.
    std::byte* data() const noexcept;

    /// Whether both are handles of the same bytes.
    friend bool operator==(const SharedArrayBuffer&, const SharedArrayBuffer&) noexcept = default;

private:
    class Block;

    std::shared_ptr<Block> block_;
};

}  // namespace futon

#include <futon/detail/end.hpp>
