// SPDX-License-Identifier: MIT
#include <futon/core/operation.hpp>

#include <cstdio>
#include <stdexcept>
#include <system_error>

namespace futon::core {

void throw_used_twice(const char* operation) {
    char text[256];
    std::snprintf(text, sizeof text, "%s: an operation is used once, and this one was used before", operation);
    throw std::logic_error(text);
}

void throw_table_full(const char* operation) {
    char text[256];
    std::snprintf(text, sizeof text, "%s: the table of wait queues has no room for another waiter", operation);
    throw std::system_error(std::make_error_code(std::errc::not_enough_memory), text);
}

}  // namespace futon::core
