// SPDX-License-Identifier: MIT
#pragma once

#include <iosfwd>
#include <string_view>

namespace futon::diagnostics::detail {

/// The page on each side of its trace. The build makes them of src/diagnostics/timeline/.
extern const std::string_view timeline_before;
extern const std::string_view timeline_after;

/// Writes the page with a trace, which is JSON, in it. It needs no other file and no network.
void write_timeline(std::ostream& out, std::string_view trace_json);

}  // namespace futon::diagnostics::detail
