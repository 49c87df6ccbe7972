// SPDX-License-Identifier: MIT
#include "platform/clock.hpp"

#include <algorithm>
#include <cstdint>

#include <futon/detail/atomic.hpp>

namespace futon::platform {

namespace {

constinit detail::Atomic<std::int64_t> latest{0};

}  // namespace

// Each reading is later than all earlier ones on any thread, so the times alone tell which waiter came first. [fifo] It may run
// ahead of the clock by a step for each reading within one step of the clock. A step here is two, for a lock keeps times
// without their last bit.
std::chrono::nanoseconds Clock::shared_now() noexcept {
    constexpr std::int64_t step = 2;
    const std::int64_t time = std::chrono::nanoseconds(now().time_since_epoch()).count();
    std::int64_t seen = latest.load();
    std::int64_t reading = 0;
    do {
        reading = std::max(time, seen + step);
    } while (!latest.compare_exchange_weak(seen, reading));
    return std::chrono::nanoseconds(reading);
}

}  // namespace futon::platform
