// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <futon/detail/platform.hpp>

namespace futon {

/// What a loop of another kind watches to embed an EventLoop; `EventLoop::native_handle()` gives it.
///
/// | platform | type | signalled means |
/// |---|---|---|
/// | linux | `int`, a file descriptor | readable (poll, epoll, GLib, Qt, libuv) |
/// | generic | an empty type | nothing: there is none, and `native_handle()` throws |
///
/// A program that is to compile on every platform keeps it as a `NativeHandle`, and names the type of its system only where
/// it calls its system.
using NativeHandle = detail::PlatformHandle;

}  // namespace futon

#include <futon/detail/end.hpp>
