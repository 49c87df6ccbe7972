// SPDX-License-Identifier: MIT
#pragma once

#include <iosfwd>
#include <string_view>

namespace futon::diagnostics::detail {

/// Writes the page that shows a trace, with the trace in it.
void write_page(std::ostream& out, std::string_view trace);

}  // namespace futon::diagnostics::detail
