// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>

namespace futon::platform {

/// About how long the calls took lately by which one thread woke others. To wake a thread whose processor is idle may take less than
/// a microsecond or tens of them: where a hypervisor runs the processor, it may have given it up.
class WakeTime {
public:
    /// Called after each wake. The estimate falls fast, and rises slowly: a thread that loses its processor in the call takes
    /// milliseconds, which tell nothing.
    constexpr void note(std::chrono::nanoseconds taken) noexcept {
        const std::chrono::nanoseconds more = std::min<std::chrono::nanoseconds>(taken, longest) - estimate_;
        estimate_ += more.count() > 0 ? std::min(more, longest_rise) : more / 4;
    }

    /// Called after polls in vain, which are as long as the estimate tells. So it fades where they never help, as with a thread that
    /// woke many others once, and none since.
    constexpr void note_vain_polls() noexcept { estimate_ -= estimate_ / 16; }

    constexpr std::chrono::nanoseconds estimate() const noexcept { return estimate_; }

private:
    static constexpr std::chrono::microseconds longest{20};
    static constexpr std::chrono::nanoseconds longest_rise{500};

    std::chrono::nanoseconds estimate_{0};
};

}  // namespace futon::platform
