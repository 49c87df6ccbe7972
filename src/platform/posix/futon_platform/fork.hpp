// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

/// The earliest that is not reserved for the compiler's own library.
#define FUTON_EARLY [[gnu::init_priority(101)]]

namespace futon::platform {

/// The handlers of pthread_atfork. Nothing is done in the parent: children take no lock over from it, they begin anew.
struct Fork {
    static std::uint32_t generation() noexcept { return generation_; }
    static void call_in_children(void (*handler)() noexcept) noexcept;

private:
    static void count() noexcept;

    // Changes only while its process has one thread.
    static constinit inline std::uint32_t generation_ = 0;
};

}  // namespace futon::platform
