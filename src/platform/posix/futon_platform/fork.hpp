// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

/// The earliest that is not reserved for the compiler's own library.
#define FUTON_EARLY [[gnu::init_priority(101)]]

namespace futon::platform {

/// The handlers of pthread_atfork. The parent does nothing: children inherit none of its locks, they begin anew.
struct Fork {
    static std::uint32_t generation() noexcept { return *followed_; }
    static void call_in_children(void (*handler)() noexcept) noexcept;

    /// What this copy of the library counts by itself.
    static constexpr const std::uint32_t& counter() noexcept { return counter_; }

    /// From here on the generation is another copy's, which may have seen other forks. Called before this copy asks for
    /// its generation.
    static void follow(const std::uint32_t& counter) noexcept { followed_ = &counter; }

private:
    static void count() noexcept;

    // Changes only while its process has one thread.
    static std::uint32_t counter_;
    static const std::uint32_t* followed_;
};

}  // namespace futon::platform
