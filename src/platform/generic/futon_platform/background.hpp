// SPDX-License-Identifier: MIT
#pragma once

#include <exception>
#include <thread>

#include <futon_platform/fork.hpp>

namespace futon::platform {

/// A detached thread of the standard library.
struct Background {
    static void when_gone(void (*handler)() noexcept) noexcept { Fork::call_in_children(handler); }

    static bool start(void (*run)(void*) noexcept, void* context) noexcept {
        try {
            std::thread([run, context] { run(context); }).detach();
            return true;
        } catch (const std::exception&) {  // the system has none, or no memory
            return false;
        }
    }
};

}  // namespace futon::platform
