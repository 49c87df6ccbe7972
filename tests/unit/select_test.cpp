// SPDX-License-Identifier: MIT
#include <atomic>
#include <chrono>
#include <stop_token>
#include <thread>
#include <variant>

#include <futon/futon.hpp>
#include <futon/select.hpp>

#include "support/gtest.hpp"
#include "support/tokens.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using futon::AsyncLock;
using futon::Deadline;
using futon::notify;
using futon::select;
using futon::stop_requested;
using futon::timeout;
using futon::waiting;
using futon::WaitResult;
using futon::test::Tokens;
using futon::test::until;
using futon::test::until_waiting;
using futon::test::waiting_at;

TEST(Select, GivesTheIndexAndTheResultOfTheWordThatIsNotified) {
    std::atomic<int> first{0};
    std::atomic<int> second{0};
    std::jthread notifier([&] {
        until_waiting(second, 1);
        notify(second, 1);
    });

    const auto chosen = select(waiting(first, 0), waiting(second, 0));

    EXPECT_EQ(chosen.index(), 1u);
    EXPECT_EQ(std::get<1>(chosen), WaitResult::ok);
}

TEST(Select, GivesAGuardThatOwnsTheLock) {
    std::atomic<int> word{0};
    AsyncLock lock;
    lock.lock();
    std::jthread unlocker([&] {
        until_waiting(lock, 1);
        lock.unlock();
    });

    {
        const auto chosen = select(waiting(word, 0), lock.locking());
        ASSERT_EQ(chosen.index(), 1u);
        EXPECT_TRUE(std::get<1>(chosen).owns_lock());
        EXPECT_FALSE(lock.try_lock());
    }

    EXPECT_TRUE(lock.try_lock());
}

TEST(Select, TakesAFreeLockAtOnce) {
    std::atomic<int> word{0};
    AsyncLock lock;

    const auto chosen = select(waiting(word, 0), lock.locking());

    EXPECT_TRUE(std::get<1>(chosen).owns_lock());
}

TEST(Select, GivesNotEqualAtOnceWhereAWordHoldsSomethingElse) {
    std::atomic<int> first{0};
    std::atomic<int> second{7};

    const auto chosen = select(waiting(first, 0), waiting(second, 0));

    EXPECT_EQ(std::get<1>(chosen), WaitResult::not_equal);
}

TEST(Select, TakesNothingOfThoseThatItDoesNotChoose) {
    Tokens first(1);
    Tokens second(1);

    const auto chosen = select(Tokens::Take(first), Tokens::Take(second));

    EXPECT_EQ(first.available(), chosen.index() == 0 ? 0 : 1);
    EXPECT_EQ(second.available(), chosen.index() == 0 ? 1 : 0);
}

TEST(Select, GivesTimedOutWhenTheDeadlineComes) {
    std::atomic<int> word{0};
    const auto begin = std::chrono::steady_clock::now();

    const auto chosen = select(waiting(word, 0), timeout(2ms));

    EXPECT_EQ(std::get<1>(chosen), WaitResult::timed_out);
    EXPECT_GE(std::chrono::steady_clock::now() - begin, 2ms);
}

TEST(Select, ChoosesTheEarliestOfSeveralDeadlines) {
    std::atomic<int> word{0};

    const auto chosen = select(timeout(1h), waiting(word, 0), timeout(1ms), timeout(Deadline::never()));

    EXPECT_EQ(chosen.index(), 2u);
}

TEST(Select, ChoosesTheEarliestOfSeveralDeadlinesThatHaveCome) {
    std::atomic<int> word{0};
    const auto now = std::chrono::steady_clock::now();

    const auto chosen = select(timeout(Deadline(now)), waiting(word, 0), timeout(Deadline(now - 1s)));

    EXPECT_EQ(chosen.index(), 2u);
}

TEST(Select, ChoosesARequestedStopBeforeADueDeadline) {
    std::atomic<int> word{0};
    std::stop_source stop;
    stop.request_stop();

    const auto chosen = select(timeout(0ms), waiting(word, 0), stop_requested(stop.get_token()));

    EXPECT_EQ(chosen.index(), 2u);
}

TEST(Select, OfDeadlinesAloneSleepsUntilTheEarliest) {
    const auto begin = std::chrono::steady_clock::now();

    const auto chosen = select(timeout(1h), timeout(2ms));

    EXPECT_EQ(chosen.index(), 1u);
    EXPECT_GE(std::chrono::steady_clock::now() - begin, 2ms);
}

TEST(Select, OfADeadlineAndAStopSleepsUntilTheStop) {
    std::stop_source stop;
    const std::jthread stopper([&] { stop.request_stop(); });

    EXPECT_EQ(select(timeout(1h), stop_requested(stop.get_token())).index(), 1u);
}

TEST(Select, ADueDeadlineLosesAgainstAnOperationThatIsReady) {
    AsyncLock lock;

    const auto chosen = select(timeout(0ms), lock.locking());

    EXPECT_EQ(chosen.index(), 1u);
}

TEST(Select, ADueDeadlineEnqueuesNothing) {
    Tokens tokens;

    const auto chosen = select(Tokens::Take(tokens), timeout(0ms));

    EXPECT_EQ(chosen.index(), 1u);
    EXPECT_EQ(tokens.checks, 0);
}

TEST(Select, GivesCancelledWhenAStopIsRequestedOnAnotherThread) {
    std::atomic<int> word{0};
    std::stop_source source;
    std::jthread stopper([&] {
        until_waiting(word, 1);
        source.request_stop();
    });

    const auto chosen = select(waiting(word, 0), stop_requested(source.get_token()));

    EXPECT_EQ(std::get<1>(chosen), WaitResult::cancelled);
    EXPECT_EQ(waiting_at(word), 0u);
}

TEST(Select, GivesCancelledAtOnceWhereAStopWasRequested) {
    std::atomic<int> word{0};
    std::stop_source source;
    source.request_stop();

    const auto chosen = select(waiting(word, 0), stop_requested(source.get_token()));

    EXPECT_EQ(chosen.index(), 1u);
}

TEST(Select, AStopTokenWithoutASourceIsNeverChosen) {
    std::atomic<int> word{0};

    const auto chosen = select(stop_requested({}), waiting(word, 0), timeout(1ms));

    EXPECT_EQ(chosen.index(), 2u);
}

TEST(Select, LeavesAllQueuesWhenOneIsChosen) {
    std::atomic<int> first{0};
    std::atomic<int> second{0};
    AsyncLock lock;
    lock.lock();
    std::jthread selecting([&] { static_cast<void>(select(waiting(first, 0), waiting(second, 0), lock.locking())); });
    until_waiting(lock, 1);

    EXPECT_EQ(notify(first), 1u);
    selecting.join();

    EXPECT_EQ(waiting_at(first) + waiting_at(second) + waiting_at(lock), 0u);
}

TEST(Select, LeavesAllQueuesWhenItsDeadlineComes) {
    std::atomic<int> word{0};
    AsyncLock lock;
    lock.lock();

    static_cast<void>(select(waiting(word, 0), lock.locking(), timeout(1ms)));

    EXPECT_EQ(waiting_at(word) + waiting_at(lock), 0u);
}

TEST(Select, ThatIsOverSwallowsNoNotify) {
    std::atomic<int> first{0};
    std::atomic<int> second{0};
    std::jthread selecting([&] { static_cast<void>(select(waiting(first, 0), waiting(second, 0))); });
    until_waiting(second, 1);
    std::jthread next([&] { EXPECT_EQ(futon::wait(second, 0), WaitResult::ok); });
    until_waiting(second, 2);

    EXPECT_EQ(notify(first, 1), 1u);
    EXPECT_EQ(notify(second, 1), 1u);  // the waiter behind, whether the select has left this queue by now or not
}

TEST(Select, IsWokenOnceByNotifiesOfAllItsWords) {
    std::atomic<int> first{0};
    std::atomic<int> second{0};
    std::jthread selecting([&] { static_cast<void>(select(waiting(first, 0), waiting(second, 0))); });
    until_waiting(second, 1);

    EXPECT_EQ(notify(first) + notify(second), 1u);
}

TEST(Select, WithOneLockTwiceOwnsItOnce) {
    AsyncLock lock;
    lock.lock();
    std::jthread selecting([&] {
        const auto chosen = select(lock.locking(), lock.locking());
        EXPECT_TRUE(std::visit([](const auto& guard) { return guard.owns_lock(); }, chosen));  // by either choice
    });
    until_waiting(lock, 2);

    lock.unlock();
    selecting.join();

    EXPECT_EQ(waiting_at(lock), 0u);
    EXPECT_TRUE(lock.try_lock());
}

TEST(Select, WithOneWordTwiceCountsOnce) {
    std::atomic<int> word{0};
    std::jthread selecting([&] { EXPECT_EQ(select(waiting(word, 0), waiting(word, 0)).index(), 0u); });
    until_waiting(word, 2);

    EXPECT_EQ(notify(word), 1u);
}

TEST(Select, WaitsAgainWhenItWasWokenInVain) {
    Tokens first;
    Tokens second;
    std::jthread selecting([&] { EXPECT_EQ(select(Tokens::Take(first), Tokens::Take(second)).index(), 1u); });
    until_waiting(second, 1);

    first.wake_in_vain();
    until([&] { return first.vain_wakes == 1; });
    until_waiting(first, 1);
    EXPECT_EQ(second.release(), 1u);
}

TEST(Select, KeepsItsPlaceInTheOtherQueuesWhenItWasWokenInVain) {
    Tokens first;
    Tokens second;
    std::jthread selecting([&] { static_cast<void>(select(Tokens::Take(first), Tokens::Take(second))); });
    until_waiting(second, 1);
    std::jthread behind([&] { static_cast<void>(select(Tokens::Take(second))); });
    until_waiting(second, 2);

    first.wake_in_vain();
    until([&] { return first.vain_wakes == 1; });
    until_waiting(first, 1);

    second.hand_off();
    selecting.join();
    EXPECT_EQ(waiting_at(second), 1u);
    second.hand_off();
}

TEST(Select, TwoThatCrossOnTwoWordsAreWokenByOneNotifyEach) {
    std::atomic<int> first{0};
    std::atomic<int> second{0};
    std::jthread forward([&] { static_cast<void>(select(waiting(first, 0), waiting(second, 0))); });
    until_waiting(second, 1);
    std::jthread backward([&] { static_cast<void>(select(waiting(second, 0), waiting(first, 0))); });
    until_waiting(first, 2);

    EXPECT_EQ(notify(first, 1), 1u);   // forward is the first at both
    EXPECT_EQ(notify(second, 1), 1u);  // and is over: backward
}

}  // namespace
