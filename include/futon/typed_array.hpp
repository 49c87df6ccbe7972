// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstddef>
#include <cstdint>

#include <futon/shared_array_buffer.hpp>
#include <futon/word.hpp>

namespace futon {

/// A view of a buffer as words of one type. Use it for memory that is laid out like JavaScript's typed arrays, and for many
/// words in one block. For a single word, a variable and a `Word` are enough.
///
///     futon::Int32Array words(buffer);
///     words[0] = 7;                                    // an atomic store
///     futon::notify(words[0]);
///
/// A view made without a length extends to the end of its buffer, and grows with it. Views of one buffer may overlap, and
/// a view keeps its buffer alive.
///
/// Threads  any.
/// Spec     the integer typed arrays; elements are accessed as by Atomics, sequentially consistent.
template <WaitInteger T>
class TypedArray {
public:
    using value_type = T;

    /// Throws  std::out_of_range if `byte_offset` is not a multiple of the element's size, or lies outside the buffer
    explicit TypedArray(const SharedArrayBuffer& buffer, std::size_t byte_offset = 0);

    /// Throws  std::out_of_range as above, or if the view ends outside the buffer
    TypedArray(const SharedArrayBuffer& buffer, std::size_t byte_offset, std::size_t length);

    /// The number of elements; then the view's bytes, where in its buffer it begins, and the buffer.
    std::size_t length() const noexcept;
    std::size_t byte_length() const noexcept { return length() * sizeof(T); }
    std::size_t byte_offset() const noexcept { return byte_offset_; }
    const SharedArrayBuffer& buffer() const noexcept { return buffer_; }

    /// The element as a word. Requires `index < length()`.
    Word<T> operator[](std::size_t index) const noexcept { return Word<T>(data()[index]); }

    /// The element as a word. Throws std::out_of_range, naming index and length.
    Word<T> at(std::size_t index) const;

    /// The elements as plain memory, for accesses that the caller synchronizes by other means.
    T* data() const noexcept { return reinterpret_cast<T*>(buffer_.data() + byte_offset_); }

private:
    SharedArrayBuffer buffer_;
    std::size_t byte_offset_;
    std::size_t length_;
    bool tracks_length_;
};

/// The integer arrays under JavaScript's names.
using Int8Array = TypedArray<std::int8_t>;
using Uint8Array = TypedArray<std::uint8_t>;
using Int16Array = TypedArray<std::int16_t>;
using Uint16Array = TypedArray<std::uint16_t>;
using Int32Array = TypedArray<std::int32_t>;
using Uint32Array = TypedArray<std::uint32_t>;
using BigInt64Array = TypedArray<std::int64_t>;
using BigUint64Array = TypedArray<std::uint64_t>;

}  // namespace futon

#include <futon/detail/memory/typed_array_bounds.hpp>  // its length, and what is out of range

#include <futon/detail/end.hpp>
