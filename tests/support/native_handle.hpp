// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>

#if __has_include(<poll.h>)
#include <poll.h>
#elif defined(_WIN32)
#include "platform/windows/windows.hpp"
#endif

#include <futon/native_handle.hpp>

#include "support/gtest.hpp"

namespace futon::test {

#if __has_include(<poll.h>)
/// Whether a descriptor is readable, or becomes so within `timeout_ms`; -1 is for ever.
bool is_readable(std::same_as<int> auto descriptor, int timeout_ms = 0) {
    pollfd polled{descriptor, POLLIN, 0};
    return poll(&polled, 1, timeout_ms) == 1 && (polled.revents & POLLIN) != 0;
}
#endif

#ifdef _WIN32
/// Whether a HANDLE is signalled, or becomes so within `timeout_ms`; -1 is for ever.
inline bool is_readable(void* handle, int timeout_ms = 0) {
    return WaitForSingleObject(handle, timeout_ms < 0 ? INFINITE : static_cast<DWORD>(timeout_ms)) == WAIT_OBJECT_0;
}
#endif

/// What is no descriptor cannot be polled; tests that ask for it skip themselves first.
bool is_readable(auto, int = 0) {
    ADD_FAILURE() << "this platform's native handles cannot be polled";
    return false;
}

inline bool becomes_readable(NativeHandle handle) {
    return is_readable(handle, -1);
}

}  // namespace futon::test
