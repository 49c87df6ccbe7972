// SPDX-License-Identifier: MIT
#include <atomic>
#include <chrono>
#include <cstddef>
#include <optional>
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
using futon::EventLoop;
using futon::Limits;
using futon::notify;
using futon::Promise;
using futon::select_async;
using futon::stop_requested;
using futon::timeout;
using futon::waiting;
using futon::WaitResult;
using futon::test::Tokens;
using futon::test::until_waiting;
using futon::test::waiting_at;

/// Selects among two words, a deadline and a stop; gives the index.
Promise<std::size_t> select_words(std::atomic<int>& first, std::atomic<int>& second, Limits limits = {}) {
    const auto chosen = co_await select_async(waiting(first, 0), waiting(second, 0), timeout(limits.deadline()),
                                              stop_requested(limits.stop()));
    co_return chosen.index();
}

Promise<std::size_t> select_tokens(Tokens& first, Tokens& second, std::stop_token stop = {}) {
    const auto chosen = co_await select_async(Tokens::Take(first), Tokens::Take(second), stop_requested(stop));
    co_return chosen.index();
}

/// Two words and two primitives, on a loop that a test may end.
class SelectAsync : public testing::Test {
protected:
    std::size_t all_waiting() const {
        return waiting_at(first) + waiting_at(second) + waiting_at(one) + waiting_at(other);
    }

    std::atomic<int> first{0};
    std::atomic<int> second{0};
    Tokens one;
    Tokens other;
    std::optional<EventLoop> loop{std::in_place};
    std::stop_source stop;
};

TEST_F(SelectAsync, ChoosesTheWordThatIsNotifiedLater) {
    auto promise = select_words(first, second);

    EXPECT_EQ(notify(second, 1), 1u);

    EXPECT_FALSE(promise.is_settled());
    EXPECT_EQ(loop->run_until(promise), 1u);
    EXPECT_EQ(all_waiting(), 0u);
}

TEST_F(SelectAsync, GoesOnAtOnceWhereSomethingIsReady) {
    second = 1;

    const auto promise = select_words(first, second);

    EXPECT_TRUE(promise.is_settled());
    EXPECT_EQ(all_waiting(), 0u);
}

TEST_F(SelectAsync, GoesOnAtOnceWhenACheckDoesIt) {
    other.tries_fail = true;
    other.release();

    auto promise = select_tokens(one, other);

    EXPECT_TRUE(promise.is_settled());
    EXPECT_EQ(loop->run_until(promise), 1u);
    EXPECT_EQ(all_waiting(), 0u);
}

TEST_F(SelectAsync, ChoosesADeadlineThatComes) {
    auto promise = select_words(first, second, 1ms);

    EXPECT_EQ(loop->run_until(promise), 2u);
    EXPECT_EQ(all_waiting(), 0u);
}

TEST_F(SelectAsync, GoesOnAtOnceWhereItsDeadlineHasCome) {
    auto promise = select_words(first, second, 0ms);

    EXPECT_TRUE(promise.is_settled());
    EXPECT_EQ(loop->run_until(promise), 2u);
}

TEST_F(SelectAsync, ChoosesAStopThatIsRequestedOnAnotherThread) {
    auto promise = select_words(first, second, {1h, stop.get_token()});

    const std::jthread stopper([&] { stop.request_stop(); });

    EXPECT_EQ(loop->run_until(promise), 3u);
    EXPECT_EQ(all_waiting(), 0u);
}

TEST_F(SelectAsync, DisarmsItsDeadlineWhenItIsOver) {
    auto promise = select_words(first, second, 1h);
    notify(first);

    loop->run();

    EXPECT_TRUE(promise.is_settled());
}

TEST_F(SelectAsync, KeepsTheLoopRunning) {
    auto promise = select_words(first, second);
    const std::jthread notifier([&] { notify(first); });

    loop->run();

    EXPECT_TRUE(promise.is_settled());
}

TEST_F(SelectAsync, OwnsTheLockThatItChose) {
    AsyncLock lock;
    lock.try_lock();
    const auto select_lock = [&]() -> Promise<bool> {
        const auto chosen = co_await select_async(waiting(first, 0), lock.locking());
        const auto* guard = std::get_if<1>(&chosen);
        co_return guard != nullptr && guard->owns_lock() && !lock.try_lock();
    };
    auto promise = select_lock();

    lock.unlock();

    EXPECT_TRUE(loop->run_until(promise));
    EXPECT_TRUE(lock.try_lock());
}

TEST_F(SelectAsync, ThatIsChosenButHasNotRunSwallowsNoNotify) {
    const auto promise = select_words(first, second);
    std::jthread next([&] { EXPECT_EQ(futon::wait(second, 0), WaitResult::ok); });
    until_waiting(second, 2);

    EXPECT_EQ(notify(first, 1), 1u);
    EXPECT_EQ(notify(second, 1), 1u);
}

TEST_F(SelectAsync, WaitsAgainWhenItWasWokenInVain) {
    auto promise = select_tokens(one, other);

    one.wake_in_vain();
    loop->poll();

    EXPECT_FALSE(promise.is_settled());
    EXPECT_EQ(all_waiting(), 2u);
    one.release();
    EXPECT_EQ(loop->run_until(promise), 0u);
}

TEST_F(SelectAsync, KeepsItsPlaceInTheOtherQueueWhenItWasWokenInVain) {
    auto early = select_tokens(one, other);
    auto late = select_tokens(other, one);
    one.wake_in_vain();
    loop->poll();

    other.hand_off();

    EXPECT_EQ(loop->run_until(early), 1u);
    EXPECT_FALSE(late.is_settled());
}

TEST_F(SelectAsync, IsQueuedAnewWhereItWasDroppedWhileItWasWokenInVain) {
    auto promise = select_tokens(one, other);
    one.wake_in_vain();
    EXPECT_EQ(other.wake_in_vain(), 0u);
    EXPECT_EQ(waiting_at(other), 0u);
    loop->poll();

    EXPECT_EQ(other.release(), 1u);

    EXPECT_EQ(loop->run_until(promise), 1u);
}

TEST_F(SelectAsync, KeepsItsPlaceWhereItWasDroppedWhileItWasWokenInVain) {
    auto early = select_tokens(one, other);
    auto late = select_tokens(other, one);
    auto last = select_tokens(other, one);
    one.wake_in_vain();                   // the first select's
    EXPECT_EQ(other.wake_in_vain(), 1u);  // drops the first select's waiter, and wakes the second's
    loop->poll();

    other.hand_off();
    other.hand_off();
    loop->poll();

    EXPECT_TRUE(early.is_settled());
    EXPECT_TRUE(late.is_settled());
    EXPECT_FALSE(last.is_settled());
}

TEST_F(SelectAsync, ChoosesTheEarliestOfSeveralDeadlines) {
    auto choose = [&]() -> Promise<std::size_t> {
        co_return (co_await select_async(timeout(1h), waiting(first, 0), timeout(1ms), timeout(Deadline::never())))
            .index();
    };

    EXPECT_EQ(loop->run_until(choose()), 2u);
    EXPECT_EQ(all_waiting(), 0u);
}

TEST_F(SelectAsync, OfDeadlinesAloneSleepsUntilTheEarliest) {
    auto choose = [&]() -> Promise<std::size_t> {
        co_return (co_await select_async(timeout(1h), timeout(1ms))).index();
    };

    EXPECT_EQ(loop->run_until(choose()), 1u);
}

TEST_F(SelectAsync, FindsWhatWasReleasedWhileItWasWokenInVain) {
    auto promise = select_tokens(one, other);
    one.wake_in_vain();
    other.release();

    EXPECT_EQ(loop->run_until(promise), 1u);
    EXPECT_EQ(all_waiting(), 0u);
}

TEST_F(SelectAsync, PassesAWakeUpOnThatCameInVainWhenAnotherIsChosenMeanwhile) {
    auto promise = select_tokens(one, other);
    one.wake_in_vain();
    other.release();

    EXPECT_EQ(loop->run_until(promise), 1u);
    EXPECT_EQ(one.passed_on, 1);
}

TEST_F(SelectAsync, PassesAWakeUpOnThatCameInVainWhenAStopIsRequested) {
    auto promise = select_tokens(one, other, stop.get_token());
    one.wake_in_vain();
    stop.request_stop();

    EXPECT_EQ(loop->run_until(promise), 2u);
    EXPECT_EQ(one.passed_on, 1);
    EXPECT_EQ(all_waiting(), 0u);
}

}  // namespace
