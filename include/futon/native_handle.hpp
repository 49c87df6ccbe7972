// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <futon/detail/platform.hpp>

namespace futon {

/// What another loop watches to embed an EventLoop; `EventLoop::native_handle()` returns it.
///
/// | platform | type | signalled means |
/// |---|---|---|
/// | linux | `int`, a file descriptor | readable (poll, epoll, GLib, Qt, libuv) |
/// | windows | `void*`, a HANDLE | signalled until `poll()` (MsgWaitForMultipleObjectsEx, RegisterWaitForSingleObject) |
/// | generic | an empty type | nothing: the platform has none, and `native_handle()` throws |
///
/// A portable program keeps it as a `NativeHandle`, and names the system's type only where it calls the system.
using NativeHandle = detail::PlatformHandle;

}  // namespace futon

#include <futon/detail/end.hpp>
