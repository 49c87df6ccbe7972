// SPDX-License-Identifier: MIT
// On a clock that stands still one sees what a deadline adds to it.
#include <chrono>
#include <cstdint>
#include <ratio>

#include <futon/deadline.hpp>

#include "explore.hpp"

namespace {

using namespace std::chrono_literals;
using futon::Deadline;
using futon::explorer::check;
using futon::test::expect_holds;

template <class Rep, class Period>
using Duration = std::chrono::duration<Rep, Period>;

/// What a deadline of this duration adds to the time point at which it is made.
template <class Rep, class Period>
std::chrono::nanoseconds added_by(Duration<Rep, Period> wait) {
    const auto now = futon::explorer::virtual_now();
    return Deadline(wait).time_point() - now;
}

/// Rounded up, and by no more than a nanosecond where the duration's unit cannot be computed with exactly.
void check_rounded_up(std::chrono::nanoseconds added, std::chrono::nanoseconds expected) {
    check(added >= expected, "a deadline is never early");
    check(added <= expected + 1ns, "a deadline is as early as it may be");
}

TEST(ModelDeadline, IsRoundedUpToTheNextNanosecond) {
    expect_holds("deadlines of fractions", {}, [] {
        check_rounded_up(added_by(Duration<std::int64_t, std::pico>(1)), 1ns);
        check_rounded_up(added_by(Duration<std::int64_t, std::pico>(1'500)), 2ns);
        check_rounded_up(added_by(Duration<std::int64_t, std::ratio<1, 3>>(1)), 333'333'334ns);
        check_rounded_up(added_by(Duration<double, std::nano>(0.1)), 1ns);
        check_rounded_up(added_by(Duration<double, std::milli>(0.5)), 500us);
        check_rounded_up(added_by(Duration<float, std::micro>(1.5f)), 1500ns);
    });
}

TEST(ModelDeadline, OfWholeNanosecondsIsExact) {
    expect_holds("deadlines of integers", {}, [] {
        check(added_by(1ns) == 1ns && added_by(7ms) == 7ms && added_by(3h) == 3h, "nothing is rounded");
        check(added_by(Duration<unsigned, std::micro>(5)) == 5us, "nothing is rounded");
    });
}

}  // namespace
