// SPDX-License-Identifier: MIT
#include "diagnostics/json.hpp"

#include <array>
#include <cstdio>
#include <fstream>

#include <futon/version.hpp>

namespace futon::diagnostics::detail {

namespace {

/// How many bytes a character of UTF-8 has that begins the text; 0 if none does.
std::size_t length_of_first(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned first = byte(0);
    if (first < 0x80) return 1;
    const std::size_t length = first < 0xc2 || first > 0xf4 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (length == 0 || text.size() < length) return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((byte(i) & 0xc0) != 0x80) return 0;
    const unsigned second = byte(1);
    const bool is_overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
    const bool is_surrogate = first == 0xed && second > 0x9f;
    const bool is_beyond = first == 0xf4 && second > 0x8f;
    return is_overlong || is_surrogate || is_beyond ? 0 : length;
}

/// The text, in which a name may have any bytes, as UTF-8: U+FFFD stands for what is none.
std::string well_formed(std::string_view text) {
    std::string result;
    while (!text.empty()) {
        const std::size_t length = length_of_first(text);
        result += length == 0 ? std::string_view("\xef\xbf\xbd") : text.substr(0, length);
        text.remove_prefix(length == 0 ? 1 : length);
    }
    return result;
}

}  // namespace

std::string label(std::string_view text) {
    std::string result = "\"";
    for (const char c : well_formed(text)) {
        if (c == '"' || c == '\\') result += '\\';
        result += c == '\n' ? std::string("\\n") : std::string(1, c);
    }
    return result + '"';
}

std::string quoted(std::string_view text) {
    std::string result = "\"";
    for (const char c : well_formed(text)) {
        if (c == '"' || c == '\\') {
            result += {'\\', c};
        } else if (static_cast<unsigned char>(c) < 0x20) {
            std::array<char, 8> escaped{};
            std::snprintf(escaped.data(), escaped.size(), "\\u%04x",
                          static_cast<unsigned>(static_cast<unsigned char>(c)));
            result += escaped.data();
        } else {
            result += c;
        }
    }
    return result + '"';
}

std::string program_name() {
    std::ifstream file("/proc/self/comm");
    std::string name;
    std::getline(file, name);
    return name;
}

std::string version_text() {
    return std::to_string(FUTON_VERSION_MAJOR) + "." + std::to_string(FUTON_VERSION_MINOR) + "." +
           std::to_string(FUTON_VERSION_PATCH);
}

std::string hexadecimal(const void* address) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%p", address);
    return text.data();
}

}  // namespace futon::diagnostics::detail
