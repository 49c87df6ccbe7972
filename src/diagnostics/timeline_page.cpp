// SPDX-License-Identifier: MIT
#include "diagnostics/timeline_page.hpp"

#include <ostream>

namespace futon::diagnostics::detail {

void write_timeline(std::ostream& out, std::string_view trace_json) {
    out << timeline_before;
    // In JSON a `<` is within a string, so that it may be escaped. Then no name can end the element that the trace is in.
    for (auto place = trace_json.find('<'); place != std::string_view::npos; place = trace_json.find('<')) {
        out << trace_json.substr(0, place) << "\\u003c";
        trace_json.remove_prefix(place + 1);
    }
    out << trace_json << timeline_after;
}

}  // namespace futon::diagnostics::detail
