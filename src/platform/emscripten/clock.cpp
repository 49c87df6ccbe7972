// SPDX-License-Identifier: MIT
#include "platform/clock.hpp"

#include <algorithm>
#include <cstdint>

#include <emscripten/em_js.h>

#include <futon/detail/atomic.hpp>

namespace futon::platform {

namespace {

// clang-format off
// In milliseconds. The origin of a thread's clock is when the thread was made, on a clock that all threads of the page share.
// Node's threads share the clock itself, and their origins are not to be trusted.
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

// An engine rounds the time, to microseconds or to milliseconds, and may round it otherwise in each thread. Each reading is later
// than all before it, whichever threads had them: who came first is seen in the times alone. [fifo] Ahead of the threads' own
// clocks it goes by a step for each reading, until they have come there. A step is two, for a lock keeps times without their last bit.
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
