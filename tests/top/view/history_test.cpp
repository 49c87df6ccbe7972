// SPDX-License-Identifier: MIT
#include "history.hpp"

#include <gtest/gtest.h>

#include "scene.hpp"

namespace {

using futon::top::History;
using futon::top::Sort;
using futon::top::test::make_object;
using futon::top::test::make_snapshot;
using futon::top::test::names;
using futon::top::test::second;
using Names = std::vector<std::string>;

TEST(TopHistory, RatesAreOfTheTimeBetweenTwoSnapshots) {
    History history;
    history.add(make_snapshot(10 * second, {make_object("a", 100)}));
    EXPECT_EQ(history.rows(Sort::contended, "")[0].contended, std::nullopt);

    history.add(make_snapshot(14 * second, {make_object("a", 110)}));

    EXPECT_DOUBLE_EQ(history.rows(Sort::contended, "")[0].contended.value(), 2.5);
    EXPECT_DOUBLE_EQ(history.rows(Sort::contended, "")[0].acquired.value(), 25);
    EXPECT_EQ(history.watched(), 4 * second);
}

TEST(TopHistory, ASnapshotOfTheSameTimeKeepsTheRates) {
    History history;
    for (const std::int64_t time : {10, 11, 11})
        history.add(make_snapshot(time * second, {make_object("a", 4 * time)}));

    EXPECT_DOUBLE_EQ(history.rows(Sort::contended, "")[0].contended.value(), 4);
}

TEST(TopHistory, AnObjectThatIsNewAtAnOldAddressBeginsFromZero) {
    History history;
    history.add(make_snapshot(10 * second, {make_object("a", 100)}));
    history.add(make_snapshot(12 * second, {make_object("a", 8), make_object("b", 6, "0x20")}));

    const auto rows = history.rows(Sort::contended, "");

    EXPECT_DOUBLE_EQ(rows[0].contended.value(), 4);
    EXPECT_DOUBLE_EQ(rows[1].contended.value(), 3);
}

TEST(TopHistory, AClockThatGoesBackBeginsAnew) {
    History history;
    history.add(make_snapshot(10 * second, {make_object("a", 100)}));
    history.add(make_snapshot(2 * second, {make_object("a", 200)}));

    EXPECT_EQ(history.rows(Sort::contended, "")[0].contended, std::nullopt);
    EXPECT_EQ(history.watched(), 0);
}

TEST(TopHistory, ObjectsAreSortedByRatesAndNotByTotals) {
    History history;
    history.add(make_snapshot(10 * second, {make_object("old", 1000), make_object("new", 10, "0x20")}));
    EXPECT_EQ(names(history.rows(Sort::contended, "")), (Names{"old", "new"}));

    history.add(make_snapshot(11 * second, {make_object("old", 1001), make_object("new", 20, "0x20")}));

    EXPECT_EQ(names(history.rows(Sort::contended, "")), (Names{"new", "old"}));
}

TEST(TopHistory, ObjectsAreSortedByWhatIsAskedFor) {
    auto waiting = make_object("waiting", 1), slow = make_object("slow", 2), held = make_object("held", 3);
    waiting.waiters.resize(2);
    slow.profile.wait.p99 = 5;
    held.profile.hold.p99 = 6;
    History history;
    history.add(make_snapshot(second, {slow, held, waiting}));

    EXPECT_EQ(names(history.rows(Sort::waiters, ""))[0], "waiting");
    EXPECT_EQ(names(history.rows(Sort::wait, ""))[0], "slow");
    EXPECT_EQ(names(history.rows(Sort::hold, ""))[0], "held");
}

TEST(TopHistory, EqualsAreSortedByTheirNames) {
    History history;
    history.add(make_snapshot(second, {make_object("b", 1), make_object("c", 1), make_object("a", 1)}));

    EXPECT_EQ(names(history.rows(Sort::contended, "")), (Names{"a", "b", "c"}));
}

TEST(TopHistory, AFilterLooksForNameKindAndAddress) {
    auto other = make_object("b", 1, "0x20");
    other.kind = "Semaphore";
    History history;
    history.add(make_snapshot(second, {make_object("Accounts", 2), other}));

    EXPECT_EQ(names(history.rows(Sort::contended, "acc")), Names{"Accounts"});
    EXPECT_EQ(names(history.rows(Sort::contended, "SEMA")), Names{"b"});
    EXPECT_EQ(names(history.rows(Sort::contended, "0x20")), Names{"b"});
    EXPECT_EQ(names(history.rows(Sort::contended, "none")), Names{});
}

}  // namespace
