// SPDX-License-Identifier: MIT
#include "compression.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace kv {

std::string compress(const Lines& lines) {
    std::string text;
    std::string_view before;
    for (const std::string_view line : lines) {
        const auto differs = std::mismatch(line.begin(), line.end(), before.begin(), before.end()).first;
        const auto shared = static_cast<std::size_t>(differs - line.begin());
        text += std::to_string(shared);
        text += ':';
        text += line.substr(shared);
        text += '\n';
        before = line;
    }
    return text;
}

Lines decompress(std::string_view text) {
    Lines lines;
    std::string before;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        if (end == text.npos) throw std::invalid_argument("the last line has no end");
        const std::string_view line = text.substr(0, end);
        std::size_t shared = 0;
        const auto [colon, error] = std::from_chars(line.data(), line.data() + line.size(), shared);
        if (error != std::errc{} || colon == line.data() + line.size() || *colon != ':' || shared > before.size()) {
            throw std::invalid_argument("a line does not begin with the length of what it shares");
        }
        before.resize(shared);
        before += line.substr(static_cast<std::size_t>(colon - line.data()) + 1);
        lines.push_back(before);
        text.remove_prefix(end + 1);
    }
    return lines;
}

}  // namespace kv
