// SPDX-License-Identifier: MIT
#include <futon/core/operation.hpp>

#include <stdexcept>
#include <string>
#include <system_error>

namespace futon::core {

void throw_used_twice(const char* operation) {
    throw std::logic_error(std::string(operation) + ": an operation is used once, and this one was used before");
}

void throw_table_full(const char* operation) {
    throw std::system_error(std::make_error_code(std::errc::not_enough_memory),
                            std::string(operation) + ": the table of wait queues has no room for another waiter");
}

}  // namespace futon::core
