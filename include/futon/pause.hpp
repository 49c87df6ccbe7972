// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <futon/detail/export.hpp>

namespace futon {

/// Tells the processor that the calling thread spins: for the body of a loop that polls a word.
///
/// Cost  as long as the processor takes it: some nanoseconds to some tens
/// Spec  Atomics.pause
FUTON_API void pause() noexcept;

}  // namespace futon

#include <futon/detail/end.hpp>
