// SPDX-License-Identifier: MIT
#pragma once

#include <exception>
#include <system_error>

#include <futon_platform/doorbell.hpp>

namespace futon::platform {

/// Threads are the program's own: it runs its loops itself.
struct Host {
    static constexpr bool runs_thread() noexcept { return false; }

    [[noreturn]] static void listen(Doorbell&, void (*)(void*) noexcept, void*) {
        throw std::system_error(std::make_error_code(std::errc::function_not_supported),
                                "futon::EventLoop::start: threads have no loops of their own here; call run");
    }

    // Only a started loop needs these.
    static void unlisten(Doorbell&) noexcept {}
    static void report(const std::exception_ptr&) noexcept {}
    static void keep_alive(Doorbell&, bool) noexcept {}
};

}  // namespace futon::platform
