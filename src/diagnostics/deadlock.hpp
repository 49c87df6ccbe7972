// SPDX-License-Identifier: MIT
#pragma once

namespace futon::diagnostics::detail {

class StillLoop;

/// Called when the caller's waiters are queued: reports a deadlock that this wait closes. May throw what the handler of reports
/// throws. With a loop, the caller is that, and its promises wait.
void check_for_deadlock(const StillLoop* loop = nullptr);

}  // namespace futon::diagnostics::detail
