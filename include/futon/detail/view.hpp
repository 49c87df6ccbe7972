// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include <futon/detail/export.hpp>

namespace futon::detail {

/// The length in elements of a view that reaches to the end of its buffer.
///
/// Throws  std::out_of_range, naming the numbers
FUTON_API std::size_t view_length(std::size_t byte_length, std::size_t byte_offset, std::size_t element_size);

/// Checks that a view lies in its buffer, on a multiple of its elements' size. Throws  as `view_length`
FUTON_API void check_view(std::size_t byte_length, std::size_t byte_offset, std::size_t length,
                          std::size_t element_size);

}  // namespace futon::detail
