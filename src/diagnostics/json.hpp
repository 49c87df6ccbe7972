// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace futon::diagnostics::detail {

/// A string of JSON, with its quotes. It is UTF-8, whatever bytes the text has.
std::string quoted(std::string_view text);

/// The same as the value of a label in Prometheus' text format, which has fewer escapes.
std::string label(std::string_view text);

/// The name of the program, and the version of the library.
std::string program_name();
std::string version_text();

/// "0x55d0c8"
std::string hexadecimal(const void* address);

}  // namespace futon::diagnostics::detail
