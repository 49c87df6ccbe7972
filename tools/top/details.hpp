// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "history.hpp"
#include "view.hpp"

namespace futon::top {

/// An object in full: its holders and waiters with where and since. Those that do not fit are counted.
std::vector<Line> details_of(const Row& row, const Snapshot& snapshot, int columns, int lines);

/// The event loops, the latest first.
std::vector<Line> loops_of(const Snapshot& snapshot, int columns, int lines);

/// What the keys and columns mean.
std::vector<Line> help(int columns, int lines);

}  // namespace futon::top
