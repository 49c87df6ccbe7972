// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kv {

using Lines = std::vector<std::string>;

/// Front coding: of a line that begins as the line before it, only the rest is kept. Each is written as the length of what it
/// shares, a colon, the rest and an end of line. Lines have no ends of lines in them.
std::string compress(const Lines& lines);

/// The lines again. Throws  std::invalid_argument if these are no compressed lines
Lines decompress(std::string_view text);

}  // namespace kv
