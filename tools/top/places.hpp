// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "snapshot.hpp"
#include "view.hpp"

namespace futon::top {

/// The places that the filter lets through, by object or by line of the program; in the program's order, the longest waits first.
std::vector<const PlaceProfile*> places_within(const Snapshot& snapshot, const std::string& filter);

/// Their table, from the place of this number on.
std::vector<Line> table_of_places(const std::vector<const PlaceProfile*>& places, std::size_t first, int columns,
                                  int lines);

}  // namespace futon::top
