// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <futon/detail/export.hpp>

namespace futon::detail {

/// An awaitable of this operation was destroyed before it was awaited. Prints that, once for each name; not if an exception or the
/// end of the agent is what destroys it.
///
/// Only files that are compiled with FUTON_CHECKED call it. Whether an awaitable was awaited, its members tell that it has anyway:
/// so its layout is the same with and without, and files of both kinds can be linked.
FUTON_API void report_unawaited(const char* operation) noexcept;

}  // namespace futon::detail

#include <futon/detail/end.hpp>
