// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

/// What a platform answers to the public headers.
///
/// This file has the answers of a system with file descriptors, all of whose threads may block. A platform that answers
/// otherwise has a file of this name in its own `include` folder, which comes first on the include path and is installed in
/// place of this one. Each such file declares both names.
namespace futon::detail {

/// What becomes `futon::NativeHandle`. Trivially copyable and equality-comparable.
using PlatformHandle = int;

/// Whether the calling thread may block while it has made no agent.
///
/// It is asked at each `wait` and each blocking lock of such a thread, so it is inline: where every thread may block it is
/// a constant, and the question costs nothing. In a browser the main thread may not block, and its platform answers
///
///     inline bool plain_thread_can_block() noexcept { return !emscripten_is_main_runtime_thread(); }
///
/// The answer is the same throughout a thread's life.
constexpr bool plain_thread_can_block() noexcept {
    return true;
}

}  // namespace futon::detail

#include <futon/detail/end.hpp>
