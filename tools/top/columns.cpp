// SPDX-License-Identifier: MIT
#include "columns.hpp"

#include <algorithm>
#include <string_view>

#include "text.hpp"

namespace futon::top {

namespace {

constexpr int least_name_width = 10;
constexpr int most_name_width = 40;

std::string owner_of(const Row& row, std::int64_t) {
    const std::vector<Holder>& holders = row.object->holders;
    if (holders.empty()) return "-";
    return holders.size() == 1 ? holders[0].who : holders[0].who + "+" + std::to_string(holders.size() - 1);
}

std::string since(const Row& row, std::int64_t time) {
    return row.object->holders.empty() ? "-" : duration(time - row.object->holders[0].since);
}

std::string waiters(const Row& row, std::int64_t) {
    return std::to_string(row.object->waiters.size());
}

std::string contended(const Row& row, std::int64_t) {
    return number(row.contended);
}

std::string acquired(const Row& row, std::int64_t) {
    return number(row.acquired);
}

std::string kind(const Row& row, std::int64_t) {
    return row.object->kind;
}

template <Durations Profile::*durations, std::int64_t Durations::*which>
std::string time_of(const Row& row, std::int64_t) {
    const Durations& found = row.object->profile.*durations;
    return found.count == 0 ? "-" : duration(found.*which);
}

const std::vector<Column> all_columns{
    {"", "KIND", 12, 11, kind},
    {"", "OWNER", 5, 3, owner_of},
    {"", "SINCE", 5, 5, since},
    {"", "WAITERS", 7, 2, waiters},
    {"", "CONT/s", 6, 1, contended},
    {"", "ACQ/s", 5, 10, acquired},
    {"wait", "p50", 5, 6, time_of<&Profile::wait, &Durations::p50>},
    {"wait", "p99", 5, 4, time_of<&Profile::wait, &Durations::p99>},
    {"wait", "max", 5, 8, time_of<&Profile::wait, &Durations::max>},
    {"hold", "p50", 5, 7, time_of<&Profile::hold, &Durations::p50>},
    {"hold", "p99", 5, 5, time_of<&Profile::hold, &Durations::p99>},
    {"hold", "max", 5, 9, time_of<&Profile::hold, &Durations::max>},
};

bool is_left(const Column& column) {
    return column.text == kind || column.text == owner_of;
}

}  // namespace

std::vector<Column> columns_within(int columns, int& name_width) {
    std::vector<int> ranks;
    for (const Column& column : all_columns) ranks.push_back(column.rank);
    std::sort(ranks.begin(), ranks.end());
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    std::vector<Column> chosen;
    name_width = columns;
    for (const int rank : ranks) {
        std::vector<Column> more;
        int rest = columns;
        for (const Column& column : all_columns) {
            if (column.rank > rank) continue;
            more.push_back(column);
            rest -= column.width + 1;
        }
        if (rest < least_name_width) break;
        chosen = std::move(more);
        name_width = rest;
    }
    name_width = std::min(name_width, most_name_width);
    return chosen;
}

std::string group_heading(const std::vector<Column>& columns, int name_width) {
    std::string line(static_cast<std::size_t>(name_width), ' ');
    for (std::size_t i = 0; i < columns.size();) {
        int width = -1;
        const std::string_view group = columns[i].group;
        for (; i < columns.size() && columns[i].group == group; ++i) width += columns[i].width + 1;
        const int rest = std::max(width - static_cast<int>(group.size()), 0);
        const bool has_room = !group.empty() && rest >= 4;
        const auto fill = [&](int count) { return std::string(static_cast<std::size_t>(count), has_room ? '-' : ' '); };
        std::string text(group);
        if (has_room) {
            const int around = rest - 2;
            text = fill(around / 2).append(1, ' ').append(group).append(1, ' ').append(fill(around - around / 2));
        } else {
            text.insert(0, fill(rest));
        }
        line.append(1, ' ').append(fit(text, width));
    }
    return line;
}

std::string heading(const std::vector<Column>& columns, int name_width) {
    std::string line = fit("OBJECT", name_width);
    for (const Column& column : columns)
        line.append(1, ' ').append(fit(column.title, column.width, is_left(column) ? Align::left : Align::right));
    return line;
}

std::string line_of(const Row& row, std::int64_t time, const std::vector<Column>& columns, int name_width) {
    std::string line = fit(row.object->title(), name_width);
    for (const Column& column : columns)
        line.append(1, ' ').append(
            fit(column.text(row, time), column.width, is_left(column) ? Align::left : Align::right));
    return line;
}

}  // namespace futon::top
