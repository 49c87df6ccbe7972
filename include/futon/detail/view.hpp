// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstddef>
#include <new>

#include <futon/detail/export.hpp>

namespace futon::detail {

/// The length in elements of a view that reaches to the end of its buffer.
///
/// Throws  std::out_of_range, naming the numbers
FUTON_API std::size_t view_length(std::size_t byte_length, std::size_t byte_offset, std::size_t element_size);

/// Checks that a view lies in its buffer, on a multiple of its elements' size. Throws  as `view_length`
FUTON_API void check_view(std::size_t byte_length, std::size_t byte_offset, std::size_t length,
                          std::size_t element_size);

/// The object that lies in a buffer, at this offset.
///
/// Throws  std::out_of_range if `byte_offset` is no multiple of its size, or it would end outside the buffer
template <class T, class Buffer>
T& object_at(Buffer& buffer, std::size_t byte_offset) {
    check_view(buffer.byte_length(), byte_offset, 1, sizeof(T));
    return *std::launder(reinterpret_cast<T*>(buffer.data() + byte_offset));
}

}  // namespace futon::detail

#include <futon/detail/end.hpp>
