// SPDX-License-Identifier: MIT
#include "text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <cwchar>
#include <iterator>

namespace futon::top {

namespace {

struct Unit {
    const char* name;
    double size;  // of the unit before
    int decimals;
};

/// The value in the largest unit in which it is at least one, and the next larger one where rounding leads there.
std::string scaled(double value, const Unit* first, const Unit* last) {
    const Unit* unit = first;
    while (unit + 1 != last && value >= unit[1].size - (unit[1].size > 100 ? 0.5 : 0.05)) value /= (++unit)->size;
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.*f%s", value < 9.95 ? unit->decimals : 0, value, unit->name);
    return text.data();
}

struct Character {
    std::size_t bytes;
    int columns;  // negative if it cannot be shown
};

/// The first character of a text that is not empty, in the terminal's encoding.
Character first_of(std::string_view text) {
    wchar_t wide = 0;
    std::mbstate_t state{};
    const std::size_t bytes = std::mbrtowc(&wide, text.data(), text.size(), &state);
    if (bytes == 0 || bytes > text.size()) return {1, -1};
    return {bytes, wcwidth(wide)};
}

}  // namespace

std::string duration(std::int64_t nanoseconds) {
    static constexpr Unit units[] = {{"ns", 1, 0},   {"us", 1000, 1}, {"ms", 1000, 1}, {"s", 1000, 1},
                                     {"min", 60, 0}, {"h", 60, 0},    {"d", 24, 0}};
    return scaled(static_cast<double>(std::max<std::int64_t>(nanoseconds, 0)), std::begin(units), std::end(units));
}

std::string number(std::optional<double> value) {
    static constexpr Unit units[] = {{"", 1, 1}, {"k", 1000, 1}, {"M", 1000, 1}, {"G", 1000, 1}, {"T", 1000, 1}};
    if (!value) return "-";
    std::string text = scaled(std::max(*value, 0.0), std::begin(units), std::end(units));
    return text.ends_with(".0") ? text.substr(0, text.size() - 2) : text;
}

std::string counted(std::size_t count, std::string_view noun) {
    return std::to_string(count).append(" ").append(noun).append(count == 1 ? "" : "s");
}

std::string shown(std::string_view text) {
    std::string result;
    while (!text.empty()) {
        const Character next = first_of(text);
        result += next.columns < 0 ? "?" : text.substr(0, next.bytes);
        text.remove_prefix(next.bytes);
    }
    return result;
}

int width(std::string_view text) {
    int columns = 0;
    while (!text.empty()) {
        const Character next = first_of(text);
        columns += next.columns < 0 ? 1 : next.columns;
        text.remove_prefix(next.bytes);
    }
    return columns;
}

std::string cut(std::string_view text, int columns) {
    const std::string whole = shown(text);
    if (width(whole) <= columns) return whole;
    std::string result;
    std::string_view rest = whole;
    int used = 1;  // of the mark
    for (Character next = first_of(rest); used + next.columns <= columns; next = first_of(rest)) {
        result += rest.substr(0, next.bytes);
        rest.remove_prefix(next.bytes);
        used += next.columns;
    }
    return columns > 0 ? result + '~' : "";
}

std::vector<std::string> wrapped(std::string_view text, int columns) {
    std::vector<std::string> lines{""};
    while (!text.empty()) {
        const std::string_view word = text.substr(0, text.find(' '));
        text.remove_prefix(std::min(word.size() + 1, text.size()));
        std::string longer =
            lines.back() + (lines.back().find_first_not_of(' ') == std::string::npos ? "" : " ") + shown(word);
        if (width(longer) > columns && lines.back().find_first_not_of(' ') != std::string::npos)
            longer = lines.emplace_back() = "  " + shown(word);
        lines.back() = cut(longer, columns);
    }
    return lines;
}

std::string fit(std::string_view text, int columns, Align align) {
    std::string result = cut(text, columns);
    const std::string space(static_cast<std::size_t>(std::max(columns - width(result), 0)), ' ');
    return align == Align::left ? result + space : space + result;
}

bool contains(std::string_view text, std::string_view part) {
    const auto is_same = [](unsigned char one, unsigned char other) {
        return std::tolower(one) == std::tolower(other);
    };
    return std::search(text.begin(), text.end(), part.begin(), part.end(), is_same) != text.end();
}

}  // namespace futon::top
