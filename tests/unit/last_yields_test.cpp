// SPDX-License-Identifier: MIT
// What a thread learns from its yields.
#include <chrono>
#include <initializer_list>

#include "platform/last_yields.hpp"
#include "support/gtest.hpp"

namespace {

using namespace std::chrono_literals;
using futon::platform::LastYields;

constexpr LastYields::Time start{1h};

LastYields after(std::initializer_list<std::chrono::nanoseconds> lengths) {
    LastYields yields;
    for (const auto length : lengths) yields.note(start, length);
    return yields;
}

/// How many waits that begin then may not spin.
int refused(LastYields& yields, LastYields::Time time) {
    int waits = 0;
    while (!yields.let_spin(time) && waits < 1000) ++waits;
    return waits;
}

TEST(LastYields, AThreadSpinsAndIsNotWantedAtFirst) {
    LastYields yields;

    EXPECT_TRUE(yields.let_spin(LastYields::Time()));
    EXPECT_FALSE(yields.is_wanted());
}

TEST(LastYields, AYieldThatReturnsAtOnceTellsThatTheProcessorIsNotWanted) {
    EXPECT_FALSE(after({300ns}).is_wanted());
    EXPECT_TRUE(after({300ns, 1500ns}).is_wanted());
    EXPECT_FALSE(after({1500ns, 300ns}).is_wanted());
}

TEST(LastYields, AYieldThatTookASliceTellsThatYieldsDoNotHelp) {
    EXPECT_FALSE(after({1500ns, 4ms}).is_wanted());
}

TEST(LastYields, ASingleSliceRefusesNoWait) {
    auto yields = after({1500ns, 4ms});

    EXPECT_EQ(refused(yields, start), 0);
}

TEST(LastYields, SlicesThatAreFarFromEachOtherRefuseNoWait) {
    auto yields = after({4ms, 1500ns, 300ns, 1500ns, 1500ns, 4ms});

    EXPECT_EQ(refused(yields, start), 0);
}

TEST(LastYields, TwoSlicesInShortOrderRefuseWaitsForSoLong) {
    auto yields = after({4ms, 1500ns, 300ns, 1500ns, 4ms});

    EXPECT_EQ(refused(yields, start + 255ms), 1000);
    EXPECT_EQ(refused(yields, start + 256ms), 0);
}

TEST(LastYields, AndSoManyWaitsHoweverSeldomTheyAre) {
    auto yields = after({4ms, 4ms});

    EXPECT_EQ(refused(yields, start + 1h), 64);
}

TEST(LastYields, NoSliceRefusesWaitsForMoreThanASecond) {
    auto yields = after({4ms, 1h});

    EXPECT_EQ(refused(yields, start + 999ms), 1000);
    EXPECT_EQ(refused(yields, start + 1s), 0);
}

TEST(LastYields, ASliceSoonAfterThatRefusesWaitsAgain) {
    auto yields = after({4ms, 4ms});
    refused(yields, start + 256ms);

    yields.note(start + 260ms, 4ms);

    EXPECT_EQ(refused(yields, start + 1h), 64);
}

}  // namespace
