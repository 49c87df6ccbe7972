// SPDX-License-Identifier: MIT
#include "platform/clock.hpp"

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

// An engine rounds the time, and may round it otherwise in each thread. So that none reads less than what another has read
// before, no reading is less than the latest: then it stands still until the calling thread's clock has come there.
std::chrono::nanoseconds Clock::shared_now() noexcept {
    const auto time = static_cast<std::int64_t>(futon_shared_milliseconds() * 1e6);
    std::int64_t seen = latest.load();
    while (seen < time && !latest.compare_exchange_weak(seen, time)) {
    }
    return std::chrono::nanoseconds(seen < time ? time : seen);
}

}  // namespace futon::platform
