// SPDX-License-Identifier: MIT
// The bell of Windows: its token and its handle are two events, which rings, alarms and the loop's thread set.
#ifdef FUTON_PLATFORM_IS_windows

#include <atomic>
#include <chrono>
#include <thread>

#include "platform/clock.hpp"
#include "platform/doorbell.hpp"
#include "support/gtest.hpp"
#include "support/native_handle.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using futon::platform::Doorbell;
using futon::platform::now;
using futon::test::becomes_readable;
using futon::test::is_readable;
using TimePoint = std::chrono::steady_clock::time_point;

class BellWithAHandle : public testing::Test {
protected:
    Doorbell bell;
    futon::NativeHandle handle = bell.native_handle();
};

TEST_F(BellWithAHandle, GivesEachTokenOnceAlsoToAWaitWithADeadline) {
    bell.ring();

    EXPECT_TRUE(bell.wait_until(now() + 1h));

    EXPECT_FALSE(is_readable(handle));
    EXPECT_FALSE(bell.wait_until(now()));
}

TEST_F(BellWithAHandle, StaysSignalledForAHostThatLooksTwice) {
    bell.ring();

    EXPECT_TRUE(is_readable(handle));
    EXPECT_TRUE(is_readable(handle));
    bell.wait();
    EXPECT_FALSE(is_readable(handle));
}

TEST_F(BellWithAHandle, CanBeAlarmedAgainForATimePointAfterItWasCleared) {
    for (int i = 0; i < 2; ++i) {
        bell.set_alarm(TimePoint::min());
        EXPECT_TRUE(is_readable(handle));
        bell.set_alarm(TimePoint::max());
        EXPECT_FALSE(is_readable(handle));
    }
}

TEST_F(BellWithAHandle, AnAlarmThatHasGoneOffOutlastsARing) {
    bell.set_alarm(now() + 1ms);
    ASSERT_TRUE(becomes_readable(handle));
    bell.ring();

    bell.wait();

    EXPECT_TRUE(is_readable(handle));
}

TEST_F(BellWithAHandle, AnAlarmThatIsToComeOutlastsARing) {
    bell.set_alarm(now() + 5ms);
    bell.ring();
    bell.wait();

    EXPECT_TRUE(becomes_readable(handle));
}

TEST_F(BellWithAHandle, ARingOutlastsANewAlarm) {
    bell.ring();

    bell.set_alarm(now() + 1h);
    EXPECT_TRUE(is_readable(handle));
    bell.set_alarm(TimePoint::max());

    EXPECT_TRUE(is_readable(handle));
    bell.wait();
    EXPECT_FALSE(is_readable(handle));
}

TEST_F(BellWithAHandle, ARingOutlastsAlarmsThatAreSetMeanwhile) {
    constexpr int rings = 300;
    std::atomic<int> wanted{0};
    std::jthread ringer([&] {
        for (int i = 1; i <= rings; ++i) {
            futon::test::until([&] { return wanted >= i; });
            bell.ring();
        }
    });

    for (int i = 1; i <= rings; ++i) {
        wanted = i;
        for (int alarm = 1; alarm < 4; ++alarm) bell.set_alarm(now() + std::chrono::hours(alarm));
        EXPECT_TRUE(becomes_readable(handle));  // for the ring, as no alarm is due
        bell.wait();
        EXPECT_FALSE(is_readable(handle));
    }
}

// The thread pool may have seen the timer already, and call back later.
TEST_F(BellWithAHandle, AnAlarmThatIsTakenBackAsItGoesOffIsNotHeard) {
    for (int i = 0; i < 100; ++i) {
        const auto deadline = now() + 1ms;
        bell.set_alarm(deadline);
        futon::test::until_after(deadline + std::chrono::microseconds(i * 5));

        bell.set_alarm(TimePoint::max());

        EXPECT_FALSE(is_readable(handle, 2));
    }
}

TEST_F(BellWithAHandle, IsSilencedWhereAProgramHasSetTheHandle) {
    SetEvent(handle);
    ASSERT_TRUE(is_readable(handle));

    bell.clear();

    EXPECT_FALSE(is_readable(handle));
}

TEST_F(BellWithAHandle, KeepsAnAlarmThatIsDueWhenItIsCleared) {
    bell.set_alarm(now() - 1s);

    bell.clear();

    EXPECT_TRUE(is_readable(handle));
}

TEST(Doorbell, MayEndWhileItsAlarmGoesOff) {
    for (int i = 0; i < 200; ++i) {
        Doorbell bell;
        bell.native_handle();
        bell.set_alarm(now() + std::chrono::microseconds(i * 10));
    }
}

}  // namespace

#endif
