// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace futon::diagnostics::detail {

/// A string of JSON, with its quotes. Bytes that are not ASCII are kept.
std::string quoted(std::string_view text);

/// The name of the program, and the version of the library.
std::string program_name();
std::string version_text();

/// "0x55d0c8"
std::string hexadecimal(const void* address);

}  // namespace futon::diagnostics::detail
