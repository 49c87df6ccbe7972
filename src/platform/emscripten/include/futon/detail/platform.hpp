// SPDX-License-Identifier: MIT
#pragma once

#include <emscripten/threading.h>

namespace futon::detail {

/// An engine has no handles that could be polled.
struct PlatformHandle {
    friend bool operator==(PlatformHandle, PlatformHandle) = default;
};

/// The main thread of a page must not block. In Node a blocked main thread would keep other threads waiting that ask it
/// for something.
inline bool plain_thread_can_block() noexcept {
    return emscripten_is_main_runtime_thread() == 0;
}

}  // namespace futon::detail
