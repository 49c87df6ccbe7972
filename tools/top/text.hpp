// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace futon::top {

/// A time in at most five characters: "850ns", "1.2us", "12min".
std::string duration(std::int64_t nanoseconds);

/// A number in at most five characters: "0", "1.2", "850", "1.2k". "-" if it is not known.
std::string number(std::optional<double> value);

/// "1 thread", "2 threads".
std::string counted(std::size_t count, std::string_view noun);

/// Text that a terminal shows as it is: what it would obey, or its locale cannot show, becomes '?'.
std::string shown(std::string_view text);

/// Columns that a terminal needs for what `shown` returns.
int width(std::string_view text);

/// Shown in lines of at most this many columns, divided between words; all but the first are indented.
std::vector<std::string> wrapped(std::string_view text, int columns);

/// Shown in at most this many columns; what does not fit ends with '~'.
std::string cut(std::string_view text, int columns);

enum class Align { left, right };

/// As `cut`, in exactly this many columns.
std::string fit(std::string_view text, int columns, Align align = Align::left);

/// Whether a text contains a part, where case does not matter.
bool contains(std::string_view text, std::string_view part);

}  // namespace futon::top
