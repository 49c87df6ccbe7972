// SPDX-License-Identifier: MIT
#include "platform/clock.hpp"

#include <algorithm>
#include <cstdint>

#include <emscripten/em_js.h>

#include <futon/detail/atomic.hpp>

namespace futon::platform {

namespace {

// clang-format off
// In milliseconds. The origin of a thread's clock is the thread's start, on a clock that all threads of the page share.
// Node's threads share the clock itself, and their origins are unreliable.
EM_JS(double, futon_shared_milliseconds, (), {
    if (typeof process == 'object' && typeof process.hrtime == 'function') {
        const time = process.hrtime();
        return time[0] * 1e3 + time[1] / 1e6;
    }
    return performance.timeOrigin + performance.now();
});
// clang-format on

constinit detail::Atomic<std::int64_t> latest{0};

}  // namespace

// An engine rounds the time, to microseconds or to milliseconds, and may round differently in each thread. Here each
// reading is later than all earlier ones on any thread, so the times alone tell which waiter came first. [fifo] Each
// reading may run ahead of the threads' own clocks by a step, until they catch up. A step is two, for a lock keeps
// times without their last bit.
std::chrono::nanoseconds Clock::shared_now() noexcept {
    constexpr std::int64_t step = 2;
    const auto time = static_cast<std::int64_t>(futon_shared_milliseconds() * 1e6);
    std::int64_t seen = latest.load();
    std::int64_t reading = 0;
    do {
        reading = std::max(time, seen + step);
    } while (!latest.compare_exchange_weak(seen, reading));
    return std::chrono::nanoseconds(reading);
}

}  // namespace futon::platform
