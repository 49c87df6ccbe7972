// SPDX-License-Identifier: MIT
#include <futon/deadline.hpp>

#include "platform/clock.hpp"

namespace futon {

bool Deadline::is_due() const noexcept {
    if (is_never()) return false;
    return moment_ == already() || platform::now() >= moment_;
}

Deadline::TimePoint Deadline::saturating_after(Nanoseconds wait) noexcept {
    if (wait <= Nanoseconds::zero()) return already();
    const TimePoint now = platform::now();
    return wait >= TimePoint::max() - now ? TimePoint::max() : now + wait;
}

}  // namespace futon
