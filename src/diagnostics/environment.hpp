// SPDX-License-Identifier: MIT
#pragma once

namespace futon::diagnostics::detail {

/// Does what the environment asks for: see docs/diagnostics.md. Called once, when the program starts.
void read_environment() noexcept;

}  // namespace futon::diagnostics::detail
