// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>

#include <futon/detail/atomic.hpp>

#include "platform/wake_time.hpp"

namespace futon::platform {

/// Four bytes that a thread can sleep on.
///
///     word      means                            set by
///     empty     no token, no thread asleep       initially; a park that took the token or gave up
///     sleeping  no token, a thread may be asleep park, from empty
///     token     the token is under way           unpark
class Parker {
public:
    constexpr Parker() noexcept = default;
    Parker(const Parker&) = delete;
    Parker& operator=(const Parker&) = delete;

    void park() noexcept;
    bool park_until(std::chrono::steady_clock::time_point deadline) noexcept;
    [[gnu::noinline]] void unpark() noexcept;
    bool has_token() const noexcept {
        return word_.load(std::memory_order_relaxed) == token;  // a hint: the park takes it
    }
    static WakeTime& wake_time() noexcept { return wake_time_of_this_thread; }

private:
    static constexpr std::uint32_t empty = 0;
    static constexpr std::uint32_t sleeping = 1;
    static constexpr std::uint32_t token = 2;

    bool begin_sleep() noexcept;
    void take_token() noexcept;

    static constinit thread_local WakeTime wake_time_of_this_thread;

    detail::Atomic<std::uint32_t> word_{empty};
};

}  // namespace futon::platform
