// SPDX-License-Identifier: MIT
#include "screen.hpp"

#define NCURSES_NOMACROS
#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <cstdlib>
#include <cwchar>
#include <string>

#include "problem.hpp"

namespace futon::top {

namespace {

Press press_of(Press::Key key) {
    return {key, {}};
}

std::optional<Press> press_of_key(wint_t code) {
    switch (code) {
        case KEY_UP:
            return press_of(Press::Key::up);
        case KEY_DOWN:
            return press_of(Press::Key::down);
        case KEY_PPAGE:
            return press_of(Press::Key::page_up);
        case KEY_NPAGE:
            return press_of(Press::Key::page_down);
        case KEY_HOME:
            return press_of(Press::Key::home);
        case KEY_END:
            return press_of(Press::Key::end);
        case KEY_ENTER:
            return press_of(Press::Key::enter);
        case KEY_BACKSPACE:
            return press_of(Press::Key::erase);
        case KEY_F(1):
            return press_of(Press::Key::help);
        default:
            return {};
    }
}

std::optional<Press> press_of_character(wint_t code) {
    if (code == L'\n' || code == L'\r') return press_of(Press::Key::enter);
    if (code == 27) return press_of(Press::Key::escape);
    if (code == 127 || code == 8) return press_of(Press::Key::erase);
    std::array<char, MB_LEN_MAX> bytes{};
    std::mbstate_t state{};
    const std::size_t count = std::wcrtomb(bytes.data(), static_cast<wchar_t>(code), &state);
    if (code < 32 || count > bytes.size()) return {};
    return Press{Press::Key::character, std::string(bytes.data(), count)};
}

attr_t attributes(Line::Style style) {
    switch (style) {
        case Line::Style::heading:
            return A_BOLD;
        case Line::Style::selected:
            return A_REVERSE;
        case Line::Style::plain:
            break;
    }
    return A_NORMAL;
}

}  // namespace

Screen::Screen() {
    if (isatty(STDIN_FILENO) == 0 || isatty(STDOUT_FILENO) == 0)
        throw Problem(Exit::failed, "the view needs a terminal; --json prints a snapshot without one");
    terminal_ = newterm(nullptr, stdout, stdin);
    if (terminal_ == nullptr) {
        const char* kind = std::getenv("TERM");
        throw Problem(Exit::failed,
                      "the terminal is of an unknown kind, TERM=" + std::string(kind != nullptr ? kind : "") +
                          "; --json prints a snapshot without one");
    }
    cbreak();
    noecho();
    nodelay(stdscr, true);
    keypad(stdscr, true);
    set_escdelay(25);
    curs_set(0);
}

Screen::~Screen() {
    endwin();
    delscreen(static_cast<SCREEN*>(terminal_));
}

int Screen::columns() const noexcept {
    return getmaxx(stdscr);
}

int Screen::lines() const noexcept {
    return getmaxy(stdscr);
}

void Screen::resize() noexcept {
    winsize size{};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0)
        resizeterm(size.ws_row, size.ws_col);
    clearok(stdscr, true);  // a terminal may have moved what it shows
}

void Screen::show(const std::vector<Line>& lines) noexcept {
    werase(stdscr);
    int row = 0;
    for (const Line& line : lines) {
        wattrset(stdscr, static_cast<int>(attributes(line.style)));
        mvwaddstr(stdscr, row++, 0, line.text.c_str());
    }
    wattrset(stdscr, A_NORMAL);
    wrefresh(stdscr);
}

std::optional<Press> Screen::press() {
    for (;;) {
        wint_t code = 0;
        const int kind = wget_wch(stdscr, &code);
        if (kind == ERR) return {};
        // A key that means nothing here is passed over.
        if (auto press = kind == KEY_CODE_YES ? press_of_key(code) : press_of_character(code)) return press;
    }
}

}  // namespace futon::top
