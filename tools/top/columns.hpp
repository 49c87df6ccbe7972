// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "history.hpp"

namespace futon::top {

/// A column of the table of objects.
struct Column {
    const char* group;  // what stands above it
    const char* title;
    int width;
    int rank;  // the first ones are shown where there is room for few
    std::string (*text)(const Row& row, std::int64_t time);
};

/// The columns that fit, in their order, behind the object's name; `name_width` is what is left for that.
std::vector<Column> columns_within(int columns, int& name_width);

/// The two lines of their headings.
std::string group_heading(const std::vector<Column>& columns, int name_width);
std::string heading(const std::vector<Column>& columns, int name_width);

/// An object's line, at a time of the program's clock.
std::string line_of(const Row& row, std::int64_t time, const std::vector<Column>& columns, int name_width);

}  // namespace futon::top
