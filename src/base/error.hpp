// SPDX-License-Identifier: MIT
#pragma once

#include <system_error>

namespace futon::detail {

/// Throws `std::system_error` with this code and text; or with "operation: text". In a unit of its own, which is compiled for its
/// size: what makes the message would else be inlined into each part of the library.
[[noreturn]] void throw_error(std::errc code, const char* text);
[[noreturn]] void throw_error(std::errc code, const char* operation, const char* text);

}  // namespace futon::detail
