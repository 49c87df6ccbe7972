// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstddef>

#include <futon/detail/export.hpp>
#include <futon/detail/view.hpp>
#include <futon/shared_array_buffer.hpp>
#include <futon/typed_array.hpp>
#include <futon/word.hpp>

// The bounds of a TypedArray.
namespace futon {

namespace detail {

[[noreturn]] FUTON_API void throw_index_out_of_range(std::size_t index, std::size_t length);

}  // namespace detail

template <WaitInteger T>
inline TypedArray<T>::TypedArray(const SharedArrayBuffer& buffer, std::size_t byte_offset)
    : buffer_(buffer),
      byte_offset_(byte_offset),
      length_(detail::view_length(buffer_.byte_length(), byte_offset, sizeof(T))),
      tracks_length_(buffer_.growable()) {}

template <WaitInteger T>
inline TypedArray<T>::TypedArray(const SharedArrayBuffer& buffer, std::size_t byte_offset, std::size_t length)
    : buffer_(buffer), byte_offset_(byte_offset), length_(length), tracks_length_(false) {
    detail::check_view(buffer_.byte_length(), byte_offset, length, sizeof(T));
}

template <WaitInteger T>
inline std::size_t TypedArray<T>::length() const noexcept {
    return tracks_length_ ? (buffer_.byte_length() - byte_offset_) / sizeof(T) : length_;
}

template <WaitInteger T>
inline Word<T> TypedArray<T>::at(std::size_t index) const {
    const std::size_t count = length();
    if (index >= count) detail::throw_index_out_of_range(index, count);
    return (*this)[index];
}

}  // namespace futon

#include <futon/detail/end.hpp>
