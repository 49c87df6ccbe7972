// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "diagnostics/registry.hpp"

// The profile of each place of a call: the primitives of one name, or else of one kind, that are called at one place. There is room
// for a number of places; what is called at others is added up as one. So it takes no memory later, and may be noted inside a
// queue's lock.
namespace futon::diagnostics::detail {

struct Site {
    std::array<char, 48> label{};  ///< a name, or else a kind
    Place place;
    Profile profile;
};

/// The profile of the place, for the primitive at `address`. Never null. Under the mutex.
Site* site_of(const void* address, std::string_view kind, const Place& place) noexcept;

/// The same as texts: places in one line of one file are added up.
struct SeenSite {
    std::string label, where;
    Profile profile;
};

/// All that were used, by the sum of their waits; the longest first. Not under the mutex.
std::vector<SeenSite> take_sites();

}  // namespace futon::diagnostics::detail
