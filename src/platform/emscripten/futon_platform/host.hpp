// SPDX-License-Identifier: MIT
#pragma once

#include <exception>

#include <emscripten/threading.h>

#include <futon_platform/doorbell.hpp>

namespace futon::platform {

/// The engine. Every thread that is not blocked has its event loop.
struct Host {
    static bool runs_thread() noexcept { return emscripten_is_main_runtime_thread() != 0; }

    static void listen(Doorbell& doorbell, void (*turn)(void*) noexcept, void* context) {
        doorbell.listen(turn, context);
    }
    static void unlisten(Doorbell& doorbell) noexcept { doorbell.unlisten(); }
    static void report(const std::exception_ptr& exception) noexcept;
    static void keep_alive(Doorbell& doorbell, bool is_alive) noexcept { doorbell.keep_alive(is_alive); }
};

}  // namespace futon::platform
