// SPDX-License-Identifier: MIT
#pragma once

namespace futon::diagnostics::detail {

/// Called when the caller's waiters are queued: reports a deadlock that this wait closes. May throw what the handler of reports
/// throws.
void check_for_deadlock();

}  // namespace futon::diagnostics::detail
