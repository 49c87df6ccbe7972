// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <futon/detail/export.hpp>

namespace futon::detail {

/// Prints the broken rule and ends the program.
[[noreturn]] FUTON_API void contract_violated(const char* rule) noexcept;

/// Ends the program with the rule's text if it is broken. For misuse that cannot be answered by an exception.
inline void expects(bool kept, const char* rule) noexcept {
    if (!kept) [[unlikely]]
        contract_violated(rule);
}

}  // namespace futon::detail

#include <futon/detail/end.hpp>
