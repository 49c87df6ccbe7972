// SPDX-License-Identifier: MIT
#include "base/error.hpp"

#include <string>

namespace futon::detail {

void throw_error(std::errc code, const char* text) {
    throw std::system_error(std::make_error_code(code), text);
}

void throw_error(std::errc code, const char* operation, const char* text) {
    throw_error(code, (std::string(operation) + ": " + text).c_str());
}

}  // namespace futon::detail
