// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <futon/detail/export.hpp>

namespace futon {

/// Tells the processor that the calling thread spins. Call it in the body of a loop that polls a word.
///
///     while (word.load() == 0) futon::pause();
///
/// Cost  some nanoseconds to some tens, depending on the processor
/// Spec  Atomics.pause
FUTON_API void pause() noexcept;

}  // namespace futon

#include <futon/detail/end.hpp>
