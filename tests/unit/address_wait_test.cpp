// SPDX-License-Identifier: MIT
#include <chrono>
#include <cstdint>
#include <thread>

#if defined(FUTON_PLATFORM_IS_linux) || defined(FUTON_PLATFORM_IS_windows)

#include "platform/address_wait.hpp"
#include "platform/clock.hpp"
#ifdef FUTON_PLATFORM_IS_linux
#include "platform/linux/timespec.hpp"
#endif
#include "support/gtest.hpp"

namespace {

using namespace std::chrono_literals;
using futon::platform::AddressWait;
using futon::platform::now;
using TimePoint = std::chrono::steady_clock::time_point;

// A wait may end early for reasons of the system's. One whose deadline the kernel misreads ends early each time.
constexpr int few = 100;

TEST(AddressWait, SleepsUntilItsDeadline) {
    AddressWait::Word word{0};
    // Most of a second is in the nanoseconds.
    const TimePoint deadline = std::chrono::floor<std::chrono::seconds>(now() + 900ms) + 999ms;
    int waits = 0;

    for (; now() < deadline && waits < few; ++waits) AddressWait::wait_until(word, 0, deadline);

    EXPECT_LT(waits, few);
    EXPECT_GE(now(), deadline);
}

TEST(AddressWait, SleepsForADeadlineThatIsGenerationsAway) {
    for (const auto years : {30, 67, 80, 200}) {
        AddressWait::Word word{0};
        int waits = 0;
        std::jthread sleeper([&] {
            const TimePoint deadline = now() + std::chrono::hours(24 * 365) * years;
            for (; word.load() == 0 && waits < few; ++waits) AddressWait::wait_until(word, 0, deadline);
        });

        AddressWait::Word never{0};
        const TimePoint enough = now() + 20ms;
        while (now() < enough) AddressWait::wait_until(never, 0, enough);
        word.store(1);
        AddressWait::wake_one(word);
        sleeper.join();

        EXPECT_LT(waits, few) << "a deadline " << years << " years away";
    }
}

TEST(AddressWait, TakesEveryTimePointOfTheClock) {
    AddressWait::Word word{0};

    AddressWait::wait_until(word, 0, TimePoint::min());
    AddressWait::wait_until(word, 1, TimePoint::max());

    EXPECT_EQ(word.load(), 0u);
}

#ifdef FUTON_PLATFORM_IS_linux
TEST(Timespec, HoldsWhatTheSystemsTimeCanHold) {
    using futon::platform::to_timespec;

    EXPECT_EQ(to_timespec(TimePoint(1'700ms)).tv_sec, 1);
    EXPECT_EQ(to_timespec(TimePoint(1'700ms)).tv_nsec, 700'000'000);
    EXPECT_EQ(to_timespec(TimePoint::min()).tv_sec, 0);
    EXPECT_GT(to_timespec(TimePoint::max()).tv_sec, 2'000'000'000);
}
#endif

}  // namespace

#endif
