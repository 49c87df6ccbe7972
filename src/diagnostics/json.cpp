// SPDX-License-Identifier: MIT
#include "diagnostics/json.hpp"

#include <array>
#include <cstdio>
#include <fstream>

#include <futon/version.hpp>

namespace futon::diagnostics::detail {

std::string quoted(std::string_view text) {
    std::string result = "\"";
    for (const char c : text) {
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
