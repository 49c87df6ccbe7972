// SPDX-License-Identifier: MIT
#pragma once

namespace futon {

/// Tells the processor that the calling thread spins: for the body of a loop that polls a word.
///
/// Cost  as long as the processor takes it: some nanoseconds to some tens
/// Spec  Atomics.pause
void pause() noexcept;

}  // namespace futon
