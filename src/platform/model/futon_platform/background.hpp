// SPDX-License-Identifier: MIT
#pragma once

#include <futon/explorer/kernel.hpp>

namespace futon::platform {

/// A fiber for which no program waits.
struct Background {
    static void when_gone(void (*handler)() noexcept) noexcept { explorer::before_schedules(handler); }
    static bool start(void (*run)(void*) noexcept, void* context) noexcept {
        explorer::spawn_background("keeper", run, context);
        return true;
    }
};

}  // namespace futon::platform
