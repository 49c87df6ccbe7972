// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <exception>

#include <futon/detail/export.hpp>

// What is told where nothing listens.
namespace futon::detail {

/// Gives an exception that no promise can carry to the nearest executor of this thread: the current agent's, or an
/// enclosing agent's. Ends the program if there is none.
FUTON_API void report_unhandled(std::exception_ptr exception) noexcept;

/// Declared for Agent, whose friend it is: see `detail/driver/unawaited.hpp`.
FUTON_API void report_unawaited(const char* operation) noexcept;

}  // namespace futon::detail

#include <futon/detail/end.hpp>
