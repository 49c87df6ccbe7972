// SPDX-License-Identifier: MIT
#include <chrono>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <utility>
#include <variant>

#include <futon/core/driver/promise_of.hpp>
#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/queue_executor.hpp"
#include "support/tokens.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using futon::Agent;
using futon::AsyncLock;
using futon::Deadline;
using futon::EventLoop;
using futon::Promise;
using futon::WaitResult;
using futon::core::promise_of;
using futon::core::result_or_promise;
using futon::test::Tokens;
using futon::test::until_after;
using futon::test::waiting_at;

TEST(PromiseOf, IsSettledAtOnceWhenATrySucceeds) {
    const EventLoop loop;
    Tokens tokens(1);

    EXPECT_TRUE(promise_of(Tokens::Take(tokens)).is_settled());
    EXPECT_EQ(tokens.checks, 0);
}

TEST(PromiseOf, IsSettledAtOnceWhenTheCheckDoesIt) {
    const EventLoop loop;
    Tokens tokens(1);
    tokens.tries_fail = true;

    EXPECT_TRUE(promise_of(Tokens::Take(tokens)).is_settled());
    EXPECT_EQ(tokens.available(), 0);
}

TEST(PromiseOf, SettlesLaterWhenItIsWoken) {
    EventLoop loop;
    Tokens tokens;
    auto promise = promise_of(Tokens::Take(tokens));

    EXPECT_EQ(tokens.release(), 1u);

    EXPECT_FALSE(promise.is_settled());
    EXPECT_EQ(loop.run_until(promise), WaitResult::ok);
}

TEST(PromiseOf, WaitsAgainWhenItWasWokenInVain) {
    EventLoop loop;
    Tokens tokens;
    auto promise = promise_of(Tokens::Take(tokens));

    tokens.wake_in_vain();
    loop.poll();

    EXPECT_FALSE(promise.is_settled());
    EXPECT_EQ(waiting_at(tokens), 1u);
    tokens.release();
    EXPECT_EQ(loop.run_until(promise), WaitResult::ok);
}

TEST(PromiseOf, KeepsItsDeadlineWhenItWaitsAgain) {
    EventLoop loop;
    Tokens tokens;
    auto promise = promise_of(Tokens::Take(tokens), 2ms);
    tokens.wake_in_vain();
    loop.poll();

    EXPECT_EQ(loop.run_until(promise), WaitResult::timed_out);
    EXPECT_EQ(waiting_at(tokens), 0u);
}

TEST(PromiseOf, PassesAWakeUpOnThatCameInVainWhenAStopIsRequested) {
    EventLoop loop;
    Tokens tokens;
    std::stop_source stop;
    auto promise = promise_of(Tokens::Take(tokens), stop.get_token());
    tokens.wake_in_vain();
    stop.request_stop();

    EXPECT_EQ(loop.run_until(promise), WaitResult::cancelled);
    EXPECT_EQ(tokens.passed_on, 1);
}

TEST(PromiseOf, LeavesItsQueueWhenItIsDropped) {
    EventLoop loop;
    Tokens tokens;

    { const auto promise = promise_of(Tokens::Take(tokens), 1h); }

    EXPECT_EQ(waiting_at(tokens), 0u);
    loop.run();
}

TEST(PromiseOf, TakesAndDropsATokenWhenItIsDroppedWithItsWakeUpUnderWay) {
    EventLoop loop;
    AsyncLock lock;
    lock.try_lock();
    std::optional promise(promise_of(lock.locking()));
    lock.unlock();

    promise.reset();
    loop.run();

    EXPECT_TRUE(lock.try_lock());
}

TEST(PromiseOf, DoesNotWaitAgainWhenItIsDroppedAndWasWokenInVain) {
    EventLoop loop;
    Tokens tokens;
    std::optional promise(promise_of(Tokens::Take(tokens)));
    tokens.wake_in_vain();

    promise.reset();
    loop.poll();

    EXPECT_EQ(waiting_at(tokens), 0u);
    EXPECT_EQ(tokens.passed_on, 1);
}

TEST(PromiseOf, PassesItsWakeUpOnWhenItsAgentEnds) {
    std::optional<EventLoop> loop(std::in_place);
    Tokens tokens;
    const auto promise = promise_of(Tokens::Take(tokens));
    tokens.release();

    loop.reset();

    EXPECT_EQ(tokens.passed_on, 1);
    EXPECT_FALSE(promise.is_settled());
}

TEST(PromiseOf, GivesBackWhatWasHandedOffWhenItsAgentEnds) {
    std::optional<EventLoop> loop(std::in_place);
    Tokens tokens;
    const auto promise = promise_of(Tokens::Take(tokens));
    tokens.hand_off();

    loop.reset();

    EXPECT_EQ(tokens.given_back, 1);
    EXPECT_EQ(tokens.available(), 1);
}

TEST(PromiseOf, LeavesItsQueueWhenItsAgentEnds) {
    std::optional<EventLoop> loop(std::in_place);
    Tokens tokens;
    const auto promise = promise_of(Tokens::Take(tokens), 1h);

    loop.reset();

    EXPECT_EQ(waiting_at(tokens), 0u);
    EXPECT_EQ(tokens.passed_on + tokens.given_back, 0);
}

TEST(PromiseOf, LetsTheLoopEndOnceItIsUnrefdThroughRetries) {
    EventLoop loop;
    Tokens tokens;
    auto promise = promise_of(Tokens::Take(tokens));
    promise.unref();
    tokens.wake_in_vain();

    loop.run();

    EXPECT_FALSE(promise.is_settled());
    EXPECT_EQ(waiting_at(tokens), 1u);
}

TEST(PromiseOf, ThrowsForAnOperationThatWasUsed) {
    const EventLoop loop;
    Tokens tokens(1);

    EXPECT_THROW(static_cast<void>(promise_of(used(tokens))), std::logic_error);

    EXPECT_EQ(tokens.available(), 1);
}

TEST(PromiseOf, ThrowsWithoutAnExecutorBeforeItTries) {
    Tokens tokens(1);

    EXPECT_THROW(static_cast<void>(promise_of(Tokens::Take(tokens))), futon::NoExecutor);

    EXPECT_EQ(tokens.available(), 1);
}

TEST(PromiseOf, ThrowsForADeadlineWhereNoTimersAreKeptBeforeItTries) {
    futon::test::QueueExecutor queue;
    const Agent agent(queue);
    Tokens tokens(1);

    EXPECT_THROW(static_cast<void>(promise_of(Tokens::Take(tokens), 1h)), futon::NoExecutor);

    EXPECT_EQ(tokens.available(), 1);
}

TEST(ResultOrPromise, GivesTheResultWhenItIsKnownAtOnce) {
    const EventLoop loop;
    Tokens tokens(1);

    const auto outcome = result_or_promise(Tokens::Take(tokens), {}, Agent::current());

    EXPECT_EQ(std::get<WaitResult>(outcome), WaitResult::ok);
}

TEST(ResultOrPromise, GivesTheResultWhenTheCheckDoesIt) {
    const EventLoop loop;
    Tokens tokens(1);
    tokens.tries_fail = true;

    const auto outcome = result_or_promise(Tokens::Take(tokens), 1h, Agent::current());

    EXPECT_EQ(std::get<WaitResult>(outcome), WaitResult::ok);
}

TEST(ResultOrPromise, GivesAPromiseWhenItMustWait) {
    EventLoop loop;
    Tokens tokens;

    auto outcome = result_or_promise(Tokens::Take(tokens), 1h, Agent::current());

    tokens.hand_off();
    EXPECT_EQ(loop.run_until(std::get<Promise<WaitResult>>(outcome)), WaitResult::ok);
}

}  // namespace
