// SPDX-License-Identifier: MIT
#pragma once

#include <futon/core/probe.hpp>

namespace futon::diagnostics::detail {

class StillLoop;
enum class MayThrow : bool { no, yes };

/// Called when the actor's waiters are queued: reports a deadlock that this wait closes. May throw what the handler of reports
/// throws; else that is dropped. With a loop, the actor is its thread, and its promises wait.
void check_for_deadlock(const Actor& actor, MayThrow may_throw, const StillLoop* loop = nullptr);

}  // namespace futon::diagnostics::detail
