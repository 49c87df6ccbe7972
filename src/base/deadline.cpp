// SPDX-License-Identifier: MIT
#include <futon/deadline.hpp>

#include <cmath>
#include <limits>

#include "platform/clock.hpp"

namespace futon {

namespace {

template <class Float>
std::chrono::nanoseconds no_less_than(Float nanoseconds) noexcept {
    using Nanoseconds = std::chrono::nanoseconds;
    if (nanoseconds >= Float(9.2e18)) return Nanoseconds::max();
    const Float next = std::nextafter(nanoseconds, std::numeric_limits<Float>::infinity());
    return Nanoseconds(static_cast<Nanoseconds::rep>(std::ceil(next)));
}

}  // namespace

Deadline::TimePoint Deadline::now() noexcept {
    return platform::now();
}

bool Deadline::is_due() const noexcept {
    if (is_never()) return false;
    return moment_ == already() || platform::now() >= moment_;
}

Deadline::Nanoseconds Deadline::rounded_up(double nanoseconds) noexcept {
    return no_less_than(nanoseconds);
}

Deadline::Nanoseconds Deadline::rounded_up(long double nanoseconds) noexcept {
    return no_less_than(nanoseconds);
}

Deadline::TimePoint Deadline::saturating_after(Nanoseconds wait) noexcept {
    if (wait <= Nanoseconds::zero()) return already();
    const TimePoint now = platform::now();
    return wait >= TimePoint::max() - now ? TimePoint::max() : now + wait;
}

}  // namespace futon
