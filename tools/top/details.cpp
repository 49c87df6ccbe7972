// SPDX-License-Identifier: MIT
#include "details.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "text.hpp"

namespace futon::top {

namespace {

std::string at(const std::string& where) {
    return where.empty() ? "" : ", at " + where;
}

std::string line_of_holder(const Holder& holder, const Snapshot& snapshot) {
    const std::string mode =
        holder.mode == "permits" ? counted(static_cast<std::size_t>(holder.amount), "permit") : holder.mode;
    return "held by " + snapshot.describe(holder.who) + (mode.empty() ? "" : ", " + mode) + ", for " +
           duration(snapshot.time - holder.since) + at(holder.where);
}

std::string line_of_waiter(const Waiter& waiter, const Snapshot& snapshot) {
    return "waiting " + duration(snapshot.time - waiter.since) + ": " + snapshot.describe(waiter.who) +
           (waiter.operation.empty() ? "" : " in " + waiter.operation) + at(waiter.where);
}

std::string line_of_times(const char* name, const Durations& times) {
    if (times.count == 0) return std::string(name) + " -";
    return std::string(name) + " p50 " + duration(times.p50) + ", p99 " + duration(times.p99) + ", max " +
           duration(times.max);
}

std::string line_of_counts(const Row& row) {
    const Profile& profile = row.object->profile;
    const auto count = [](std::int64_t value) { return number(static_cast<double>(value)); };
    const auto rate = [](const std::optional<double>& value) { return value ? " (" + number(value) + "/s)" : ""; };
    return "acquired " + count(profile.acquisitions) + rate(row.acquired) + ", contended " + count(profile.contended) +
           rate(row.contended) + "; handoffs " + count(profile.handoffs) + ", barged " + count(profile.barged) +
           ", offers expired " + count(profile.offers_expired);
}

Line ruled(const std::string& title, int columns) {
    std::string text = cut("-- " + title + " ", columns);
    const int rest = columns - width(text);
    return {text.append(static_cast<std::size_t>(std::max(rest, 0)), '-'), Line::Style::heading};
}

std::string title_of(const Object& object) {
    if (object.name.empty()) return object.title();
    return object.name + ": " + (object.kind.empty() ? "" : object.kind + " ") + object.address;
}

}  // namespace

std::vector<Line> details_of(const Row& row, const Snapshot& snapshot, int columns, int lines) {
    const Object& object = *row.object;
    const auto add = [&](std::vector<Line>& to, const std::string& text) {
        for (std::string& line : wrapped(text, columns)) to.push_back({std::move(line), Line::Style::plain});
    };
    std::vector<Line> counts;
    add(counts, line_of_counts(row));
    add(counts, line_of_times("wait", object.profile.wait) + "; " + line_of_times("hold", object.profile.hold));

    std::vector<std::string> callers;
    for (const Holder& holder : object.holders) callers.push_back(line_of_holder(holder, snapshot));
    for (const Waiter& waiter : object.waiters) callers.push_back(line_of_waiter(waiter, snapshot));
    std::vector<Line> drawn{ruled(title_of(object), columns)};
    std::vector<std::size_t> ends;  // of each caller's lines
    for (const std::string& caller : callers) {
        add(drawn, caller);
        ends.push_back(drawn.size());
    }

    // Who holds and who waits comes first, and counts only where there is room for both.
    const auto most = static_cast<std::size_t>(std::max(lines, 0));
    if (!callers.empty() && drawn.size() + counts.size() > most) {
        if (most < counts.size() + 4) counts.clear();
        while (!ends.empty() && ends.back() + 1 + counts.size() > most) ends.pop_back();
        drawn.resize(ends.empty() ? 1 : ends.back());
        if (ends.size() < callers.size())
            add(drawn, "... and " + std::to_string(callers.size() - ends.size()) + " more");
    }
    drawn.insert(drawn.end(), counts.begin(), counts.end());
    if (drawn.size() > most) drawn.resize(most);
    return drawn;
}

std::vector<Line> loops_of(const Snapshot& snapshot, int columns, int lines) {
    std::vector<Loop> loops = snapshot.loops;
    std::stable_sort(loops.begin(), loops.end(),
                     [](const Loop& one, const Loop& other) { return one.delay > other.delay; });
    std::vector<Line> drawn{ruled("loops", columns)};
    for (const Loop& loop : loops) {
        const std::string name = loop.name.empty() ? loop.id : loop.id + " " + loop.name;
        drawn.push_back({cut(name + ": delay " + duration(loop.delay) + ", longest " + duration(loop.longest_delay) +
                                 (loop.thread.empty() ? "" : ", on " + snapshot.describe(loop.thread)),
                             columns),
                         Line::Style::plain});
    }
    const auto most = static_cast<std::size_t>(std::max(lines, 0));
    if (drawn.size() <= most) return drawn;
    const std::size_t left_out = drawn.size() - most + 1;
    drawn.resize(most);
    if (most > 0) drawn.back() = {cut("... and " + std::to_string(left_out) + " more", columns), Line::Style::plain};
    return drawn;
}

std::vector<Line> help(int columns, int lines) {
    static constexpr const char* texts[] = {
        "c n w h    sort by contentions, waiters, wait, hold",
        "up down    select an object (also k j, PgUp PgDn,",
        "           Home End)",
        "/          filter by name, kind or address;",
        "           Enter keeps it, Esc does not",
        "P          the lines of the program that lock and wait,",
        "           or the objects again",
        "p Space    pause, and go on",
        "u          ask the program at once",
        "q          quit",
        "",
        "OWNER      who holds it, +1: and one more: t1 is a",
        "           thread, l1 a loop, c1 a coroutine",
        "SINCE      how long the owner has held it",
        "WAITERS    how many wait now",
        "CONT/s     acquisitions a second that had to wait",
        "ACQ/s      all acquisitions a second",
        "wait hold  half took no longer than p50, all but a",
        "           hundredth no longer than p99",
        "delay      how late a loop runs what is ready",
    };
    std::vector<Line> drawn{ruled("keys and columns; any key closes this", columns)};
    for (const char* text : texts) drawn.push_back({cut(text, columns), Line::Style::plain});
    if (static_cast<int>(drawn.size()) > lines) drawn.resize(static_cast<std::size_t>(std::max(lines, 0)));
    return drawn;
}

}  // namespace futon::top
