// SPDX-License-Identifier: MIT
#include "view.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "columns.hpp"
#include "details.hpp"
#include "places.hpp"
#include "text.hpp"

namespace futon::top {

namespace {

using Key = Press::Key;

const char* name_of(Sort sort) {
    switch (sort) {
        case Sort::contended:
            return "contentions";
        case Sort::waiters:
            return "waiters";
        case Sort::wait:
            return "wait p99";
        case Sort::hold:
            return "hold p99";
    }
    return "";
}

/// The parts that fit, at least the first.
std::string joined(const std::vector<std::string>& parts, int columns) {
    std::string line = shown(parts.front());
    for (std::size_t i = 1; i < parts.size(); ++i) {
        const std::string longer = line + "  " + shown(parts[i]);
        if (!parts[i].empty() && width(longer) <= columns) line = longer;
    }
    return cut(line, columns);
}

std::string first_line(const std::string& title, const History& history, int columns) {
    if (history.is_empty()) return cut(title, columns);
    const Snapshot& snapshot = history.latest();
    const std::string program =
        snapshot.program.empty() ? title : snapshot.program + " (" + std::to_string(snapshot.process) + ")";
    return joined({program, "watched " + duration(history.watched()), counted(snapshot.threads.size(), "thread"),
                   counted(snapshot.loops.size(), "loop"), counted(snapshot.tasks.size(), "coroutine"),
                   snapshot.futon.empty() ? "" : "futon " + snapshot.futon},
                  columns);
}

void append(std::vector<Line>& lines, std::vector<Line> more) {
    lines.insert(lines.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

}  // namespace

View::View(std::string title, Sort sort, std::string filter)
    : title_(std::move(title)), sort_(sort), filter_(std::move(filter)) {}

View::Wish View::press(const Press& press, const History& history) {
    if (std::exchange(is_helping_, false)) return Wish::none;
    if (is_typing_filter_) return edit_filter(press), Wish::none;
    switch (press.key) {
        case Key::up:
            select(history, -1);
            break;
        case Key::down:
            select(history, 1);
            break;
        case Key::page_up:
            select(history, -page_);
            break;
        case Key::page_down:
            select(history, page_);
            break;
        case Key::home:
            select(history, std::numeric_limits<int>::min() / 2);
            break;
        case Key::end:
            select(history, std::numeric_limits<int>::max() / 2);
            break;
        case Key::help:
            is_helping_ = true;
            break;
        case Key::character:
            if (press.character == "k" || press.character == "j")
                select(history, press.character == "k" ? -1 : 1);
            else if (press.character.size() == 1)
                return press_character(press.character[0]);
            break;
        default:
            break;
    }
    return Wish::none;
}

View::Wish View::press_character(char character) {
    switch (character) {
        case 'q':
            return Wish::quit;
        case 'u':
            return Wish::ask;
        case 'p':
        case ' ':
            is_paused_ = !is_paused_;
            return is_paused_ ? Wish::none : Wish::ask;
        case 'P':
            has_places_ = !has_places_;
            first_place_ = 0;
            break;
        case 'c':
            sort_ = Sort::contended;
            break;
        case 'n':
            sort_ = Sort::waiters;
            break;
        case 'w':
            sort_ = Sort::wait;
            break;
        case 'h':
            sort_ = Sort::hold;
            break;
        case '/':
            is_typing_filter_ = true;
            filter_before_ = filter_;
            break;
        case '?':
            is_helping_ = true;
            break;
        default:
            break;
    }
    return Wish::none;
}

void View::edit_filter(const Press& press) {
    switch (press.key) {
        case Key::enter:
            is_typing_filter_ = false;
            break;
        case Key::escape:
            is_typing_filter_ = false;
            filter_ = filter_before_;
            break;
        case Key::erase:
            while (!filter_.empty()) {  // all bytes of a character of UTF-8
                const bool is_first = (static_cast<unsigned char>(filter_.back()) & 0xC0) != 0x80;
                filter_.pop_back();
                if (is_first) break;
            }
            break;
        case Key::character:
            filter_ += press.character;
            break;
        default:
            break;
    }
}

void View::select(const History& history, int step) {
    if (has_places_) {  // there, keys scroll
        const int count = history.is_empty() ? 0 : static_cast<int>(places_within(history.latest(), filter_).size());
        first_place_ =
            static_cast<std::size_t>(std::clamp(static_cast<int>(first_place_) + step, 0, std::max(count - page_, 0)));
        return;
    }
    const std::vector<Row> rows = history.rows(sort_, filter_);
    if (rows.empty()) return;
    const int last = static_cast<int>(rows.size()) - 1;
    const int next = std::clamp(static_cast<int>(selected_in(rows)) + step, 0, last);
    selected_ = next == 0 ? "" : rows[static_cast<std::size_t>(next)].object->identity();
}

std::size_t View::selected_in(const std::vector<Row>& rows) const {
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (rows[i].object->identity() == selected_) return i;
    return 0;
}

Line View::state_line(const History& history, std::size_t shown, int columns) const {
    if (!note_.empty()) return {cut(note_, columns), Line::Style::plain};
    if (history.is_empty()) return {cut("asking for the first snapshot", columns), Line::Style::plain};
    const std::string by = std::string(" by ") + name_of(sort_);
    if (filter_.empty())
        return {joined({counted(shown, "object") + by, is_paused_ ? "PAUSED" : ""}, columns), Line::Style::plain};
    return {joined({std::to_string(shown) + " of " + counted(history.latest().objects.size(), "object") + by,
                    is_paused_ ? "PAUSED" : "", "filter: " + filter_},
                   columns),
            Line::Style::plain};
}

Line View::key_line(int columns) const {
    if (is_typing_filter_) return {cut("filter: " + filter_ + "_", columns), Line::Style::heading};
    const std::vector<std::string> for_places{"q quit", "? help", "p pause", "/ filter", "P objects", "arrows scroll"};
    const std::vector<std::string> for_objects{
        "q quit",   "? help",       "p pause", "/ filter", "sort: c contentions n waiters w wait h hold",
        "P places", "arrows select"};
    return {joined(has_places_ ? for_places : for_objects, columns), Line::Style::heading};
}

Line View::places_line(const History& history, std::size_t shown, int columns) const {
    const Snapshot& snapshot = history.latest();
    const std::string of = filter_.empty() ? "" : " of " + std::to_string(snapshot.places.size());
    return {joined({std::to_string(shown) + of + (shown == 1 && of.empty() ? " place" : " places") + " by time waited",
                    is_paused_ ? "PAUSED" : "", filter_.empty() ? "" : "filter: " + filter_,
                    snapshot.sampled_one_in > 1
                        ? "estimates: one of " + std::to_string(snapshot.sampled_one_in) + " is seen"
                        : ""},
                   columns),
            Line::Style::plain};
}

std::vector<Line> View::places(const History& history, int columns, int lines) {
    const std::vector<const PlaceProfile*> shown =
        history.is_empty() ? std::vector<const PlaceProfile*>() : places_within(history.latest(), filter_);
    const int of_table = std::max(lines - 2, 0);
    page_ = std::max(of_table - (of_table >= 3 ? 1 : 0), 1);  // without its heading
    const auto room = static_cast<std::size_t>(page_);
    first_place_ = std::min(first_place_, shown.size() > room ? shown.size() - room : 0);
    const bool has_state = !note_.empty() || history.is_empty();
    std::vector<Line> drawn{{first_line(title_, history, columns), Line::Style::heading},
                            has_state ? state_line(history, 0, columns) : places_line(history, shown.size(), columns)};
    if (!history.is_empty()) append(drawn, table_of_places(shown, first_place_, columns, of_table));
    drawn.resize(static_cast<std::size_t>(std::max(lines, 2)));
    return drawn;
}

std::vector<Line> View::table(const std::vector<Row>& rows, const History& history, int columns, int lines) {
    int name_width = 0;
    const std::vector<Column> shown = columns_within(std::max(columns - 2, 0), name_width);
    std::vector<Line> drawn;
    if (lines >= 5) drawn.push_back({"  " + group_heading(shown, name_width), Line::Style::heading});
    if (lines >= 3) drawn.push_back({"  " + heading(shown, name_width), Line::Style::heading});
    page_ = std::max(lines - static_cast<int>(drawn.size()), 1);
    const auto room = static_cast<std::size_t>(page_);
    const std::size_t selected = selected_in(rows);
    first_row_ = std::min(first_row_, rows.size() > room ? rows.size() - room : 0);
    first_row_ = std::clamp(first_row_, selected >= room ? selected - room + 1 : 0, selected);
    for (std::size_t i = first_row_; i < rows.size() && i < first_row_ + room; ++i) {
        const bool is_selected = i == selected;
        drawn.push_back({(is_selected ? "> " : "  ") + line_of(rows[i], history.latest().time, shown, name_width),
                         is_selected ? Line::Style::selected : Line::Style::plain});
    }
    if (rows.empty() && !history.is_empty())
        drawn.push_back(
            {history.latest().objects.empty() ? "  no object was used yet" : "  no object matches the filter",
             Line::Style::plain});
    if (static_cast<int>(drawn.size()) > lines) drawn.resize(static_cast<std::size_t>(std::max(lines, 0)));
    for (Line& line : drawn) line.text = cut(line.text, columns);
    return drawn;
}

std::vector<Line> View::draw(const History& history, int columns, int lines) {
    if (is_helping_) return help(columns, lines);
    std::vector<Line> drawn = has_places_ ? places(history, columns, lines - 1) : objects(history, columns, lines - 1);
    drawn.push_back(key_line(columns));
    if (static_cast<int>(drawn.size()) > lines) drawn.resize(static_cast<std::size_t>(std::max(lines, 0)));
    return drawn;
}

std::vector<Line> View::objects(const History& history, int columns, int lines) {
    const std::vector<Row> rows = history.rows(sort_, filter_);
    std::vector<Line> drawn{{first_line(title_, history, columns), Line::Style::heading},
                            state_line(history, rows.size(), columns)};

    // Most of the room is the table's; the rest is shared by what it cannot show.
    const int room = std::max(lines - 2, 0);
    const int loop_count = history.is_empty() ? 0 : static_cast<int>(history.latest().loops.size());
    const int loops = loop_count > 0 && room >= 10 ? std::min(1 + loop_count, room / 4) : 0;
    const int rest = room - loops;
    const int wanted = rows.empty() ? 0
                                    : static_cast<int>(details_of(rows[selected_in(rows)], history.latest(), columns,
                                                                  std::numeric_limits<int>::max())
                                                           .size());
    const int details = rest >= 8 ? std::min(wanted, std::max(rest / 2, rest - 2 - static_cast<int>(rows.size()))) : 0;

    append(drawn, table(rows, history, columns, rest - details));
    drawn.resize(static_cast<std::size_t>(2 + rest - details));
    if (details > 0) append(drawn, details_of(rows[selected_in(rows)], history.latest(), columns, details));
    drawn.resize(static_cast<std::size_t>(2 + rest));
    if (loops > 0) append(drawn, loops_of(history.latest(), columns, loops));
    return drawn;
}

}  // namespace futon::top
