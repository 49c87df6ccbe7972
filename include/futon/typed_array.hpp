// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>

#include <futon/detail/export.hpp>
#include <futon/detail/view.hpp>
#include <futon/shared_array_buffer.hpp>
#include <futon/word.hpp>

namespace futon {

namespace detail {

[[noreturn]] FUTON_API void throw_index_out_of_range(std::size_t index, std::size_t length);

}  // namespace detail

/// A view of a buffer as words of one type.
///
///     futon::Int32Array words(buffer);
///     words[0] = 7;                                    // an atomic store
///     futon::notify(words[0]);
///
/// A view made without a length extends to the end of its buffer, and grows with it.
///
/// Threads  any.
/// Spec     the integer typed arrays; elements are accessed as by Atomics, sequentially consistent.
template <WaitInteger T>
class TypedArray {
public:
    using value_type = T;

    /// Throws  std::out_of_range if `byte_offset` is not a multiple of the element's size, or lies outside the buffer
    explicit TypedArray(const SharedArrayBuffer& buffer, std::size_t byte_offset = 0)
        : buffer_(buffer),
          byte_offset_(byte_offset),
          length_(detail::view_length(buffer_.byte_length(), byte_offset, sizeof(T))),
          tracks_length_(buffer_.growable()) {}

    /// Throws  std::out_of_range as above, or if the view ends outside the buffer
    TypedArray(const SharedArrayBuffer& buffer, std::size_t byte_offset, std::size_t length)
        : buffer_(buffer), byte_offset_(byte_offset), length_(length), tracks_length_(false) {
        detail::check_view(buffer_.byte_length(), byte_offset, length, sizeof(T));
    }

    /// The number of elements.
    std::size_t length() const noexcept {
        return tracks_length_ ? (buffer_.byte_length() - byte_offset_) / sizeof(T) : length_;
    }
    std::size_t byte_length() const noexcept { return length() * sizeof(T); }
    std::size_t byte_offset() const noexcept { return byte_offset_; }
    const SharedArrayBuffer& buffer() const noexcept { return buffer_; }

    /// The element as a word. Requires `index < length()`.
    Word<T> operator[](std::size_t index) const noexcept { return Word<T>(data()[index]); }

    /// The element as a word. Throws std::out_of_range, naming index and length.
    Word<T> at(std::size_t index) const {
        const std::size_t count = length();
        if (index >= count) detail::throw_index_out_of_range(index, count);
        return (*this)[index];
    }

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

#include <futon/detail/end.hpp>
