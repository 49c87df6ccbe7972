// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "history.hpp"
#include "options.hpp"

namespace futon::top {

/// A key that was pressed: a character, or one of those below.
struct Press {
    enum class Key { character, up, down, page_up, page_down, home, end, enter, escape, erase, help };

    Key key = Key::character;
    std::string character;  // in the terminal's encoding
};

/// A line of the screen. Without its style, too, it can be told what it is.
struct Line {
    enum class Style { plain, heading, selected };

    std::string text;
    Style style = Style::plain;
};

/// What the user sees of a history, and by which keys it changes. Knows no terminal.
class View {
public:
    enum class Wish { none, ask, quit };

    View(std::string title, Sort sort, std::string filter);

    /// What the user wants of the program.
    Wish press(const Press& press, const History& history);

    bool is_paused() const noexcept { return is_paused_; }
    /// Shown in place of the state of things; empty for none.
    void note(std::string sentence) { note_ = std::move(sentence); }

    /// At most so many lines, none longer than the columns.
    std::vector<Line> draw(const History& history, int columns, int lines);

private:
    Wish press_character(char character);
    void edit_filter(const Press& press);
    void select(const History& history, int step);
    std::size_t selected_in(const std::vector<Row>& rows) const;

    Line state_line(const History& history, std::size_t shown, int columns) const;
    Line key_line(int columns) const;
    Line places_line(const History& history, std::size_t shown, int columns) const;
    std::vector<Line> places(const History& history, int columns, int lines);
    std::vector<Line> objects(const History& history, int columns, int lines);
    std::vector<Line> table(const std::vector<Row>& rows, const History& history, int columns, int lines);

    std::string title_;
    Sort sort_;
    std::string filter_;
    std::string filter_before_;  // what the filter was before it is typed
    std::string note_;
    std::string selected_;  // an object's identity; empty for the first one
    std::size_t first_row_ = 0, first_place_ = 0;
    int page_ = 1;
    bool is_typing_filter_ = false;
    bool is_paused_ = false;
    bool is_helping_ = false;
    bool has_places_ = false;  // they are shown, and not the objects
};

}  // namespace futon::top
