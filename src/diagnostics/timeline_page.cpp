// SPDX-License-Identifier: MIT
#include "diagnostics/timeline_page.hpp"

#include <ostream>

namespace futon::diagnostics::detail {

namespace {

/// timeline.html, in pieces, for compilers limit the length of a literal. The build makes the file of it.
constexpr std::string_view pieces[] = {
#include "futon_timeline_page.inc"
};

}  // namespace

void write_page(std::ostream& out, std::string_view trace) {
    for (const std::string_view piece : pieces) {
        if (piece != "@TRACE@") {
            out << piece;
            continue;
        }
        // A name may have the end of the script in it; in JSON a "<" occurs in strings only.
        for (std::size_t at = 0; at < trace.size();) {
            const std::size_t next = trace.find('<', at);
            out << trace.substr(at, next - at);
            if (next == std::string_view::npos) break;
            out << "\\u003c";
            at = next + 1;
        }
    }
}

}  // namespace futon::diagnostics::detail
