// SPDX-License-Identifier: MIT
#include "places.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "text.hpp"

namespace futon::top {

namespace {

constexpr int cell_width = 5;
constexpr int least_text_width = 26;  // of an object and its place
constexpr int most_object_width = 24;

std::string count(std::int64_t value) {
    return number(static_cast<double>(value));
}

std::string time(const Durations& times, std::int64_t value) {
    return times.count == 0 ? "-" : duration(value);
}

/// What is left out first where there is no room stands last.
std::array<std::string, 6> cells_of(const Profile& profile) {
    return {count(profile.acquisitions),          count(profile.contended),
            time(profile.wait, profile.wait.p50), time(profile.wait, profile.wait.p99),
            time(profile.hold, profile.hold.p50), time(profile.hold, profile.hold.p99)};
}

std::string row(const std::string& object, const std::string& place, const std::array<std::string, 6>& cells,
                int columns) {
    int shown = 0, rest = columns;
    while (shown < static_cast<int>(cells.size()) && rest - (cell_width + 1) >= least_text_width) {
        rest -= cell_width + 1;
        ++shown;
    }
    const int object_width = std::min(most_object_width, std::max(rest - 1, 0) / 2);
    std::string line =
        fit(object, object_width).append(1, ' ').append(fit(place, std::max(rest - object_width - 1, 0)));
    for (int i = 0; i < shown; ++i)
        line.append(1, ' ').append(fit(cells[static_cast<std::size_t>(i)], cell_width, Align::right));
    return cut(line, columns);
}

}  // namespace

std::vector<const PlaceProfile*> places_within(const Snapshot& snapshot, const std::string& filter) {
    std::vector<const PlaceProfile*> found;
    for (const PlaceProfile& place : snapshot.places)
        if (contains(place.object, filter) || contains(place.where, filter)) found.push_back(&place);
    return found;
}

std::vector<Line> table_of_places(const std::vector<const PlaceProfile*>& places, std::size_t first, int columns,
                                  int lines) {
    const auto most = static_cast<std::size_t>(std::max(lines, 0));
    std::vector<Line> drawn;
    if (most >= 3)
        drawn.push_back(
            {row("OBJECT", "PLACE", {"ACQ", "CONT", "WAIT", "p99", "HOLD", "p99"}, columns), Line::Style::heading});
    for (std::size_t i = first; i < places.size() && drawn.size() < most; ++i) {
        const PlaceProfile& place = *places[i];
        drawn.push_back({row(place.object, place.where.empty() ? "-" : place.where, cells_of(place.profile), columns),
                         Line::Style::plain});
    }
    if (places.empty() && drawn.size() < most) drawn.push_back({cut("no place to show", columns), Line::Style::plain});
    return drawn;
}

}  // namespace futon::top
