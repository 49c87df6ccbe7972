// SPDX-License-Identifier: MIT
#include <chrono>
#include <optional>
#include <stop_token>
#include <string_view>
#include <thread>

#include <futon/core/driver/await.hpp>
#include <futon/futon.hpp>

#include "support/coroutines.hpp"
#include "support/gtest.hpp"
#include "support/tokens.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using futon::Deadline;
using futon::EventLoop;
using futon::Limits;
using futon::Promise;
using futon::WaitResult;
using futon::core::await;
using futon::core::WaiterDescription;
using futon::test::OwnedCoroutine;
using futon::test::Tokens;
using futon::test::until_after;
using futon::test::waiting_at;

Promise<WaitResult> take(Tokens& tokens, Limits limits = {}) {
    co_return co_await await(Tokens::Take(tokens), limits);
}

OwnedCoroutine take_owned(Tokens& tokens, std::optional<WaitResult>& result) {
    result = co_await await(Tokens::Take(tokens));
}

TEST(Await, GoesOnAtOnceWhenATrySucceeds) {
    const EventLoop loop;
    Tokens tokens(1);

    const auto promise = take(tokens);

    EXPECT_TRUE(promise.is_settled());
    EXPECT_EQ(tokens.checks, 0);
}

TEST(Await, GoesOnAtOnceWhenTheCheckDoesIt) {
    const EventLoop loop;
    Tokens tokens(1);
    tokens.tries_fail = true;

    const auto promise = take(tokens);

    EXPECT_TRUE(promise.is_settled());
    EXPECT_EQ(tokens.checks, 1);
}

TEST(Await, GoesOnLaterWhenItIsWoken) {
    EventLoop loop;
    Tokens tokens;
    auto promise = take(tokens);

    EXPECT_EQ(tokens.release(), 1u);

    EXPECT_FALSE(promise.is_settled());
    EXPECT_EQ(loop.run_until(promise), WaitResult::ok);
}

TEST(Await, WaitsAgainWhenItWasWokenInVain) {
    EventLoop loop;
    Tokens tokens;
    auto promise = take(tokens);

    tokens.wake_in_vain();
    loop.poll();

    EXPECT_FALSE(promise.is_settled());
    EXPECT_EQ(tokens.vain_wakes, 1);
    EXPECT_EQ(tokens.release(), 1u);
    EXPECT_EQ(loop.run_until(promise), WaitResult::ok);
}

TEST(Await, KeepsItsDeadlineWhenItWaitsAgain) {
    EventLoop loop;
    Tokens tokens;
    auto promise = take(tokens, 2ms);
    tokens.wake_in_vain();
    loop.poll();

    EXPECT_EQ(loop.run_until(promise), WaitResult::timed_out);
    EXPECT_EQ(waiting_at(tokens), 0u);
}

TEST(Await, OwnsWhatWasHandedOff) {
    EventLoop loop;
    Tokens tokens;
    auto promise = take(tokens);

    tokens.hand_off();

    EXPECT_EQ(loop.run_until(promise), WaitResult::ok);
    EXPECT_EQ(tokens.given_back, 0);
}

TEST(Await, LeavesNoWaiterBehindWhenAStopIsRequestedOnAnotherThread) {
    EventLoop loop;
    Tokens tokens;
    std::stop_source stop;
    auto promise = take(tokens, stop.get_token());

    const std::jthread stopper([&] { stop.request_stop(); });

    EXPECT_EQ(loop.run_until(promise), WaitResult::cancelled);
    EXPECT_EQ(waiting_at(tokens), 0u);
}

TEST(Await, PassesAWakeUpOnThatCameInVainWhenItsDeadlineHasCome) {
    EventLoop loop;
    Tokens tokens;
    const auto deadline = std::chrono::steady_clock::now() + 1ms;
    auto promise = take(tokens, deadline);
    const std::size_t woken =
        tokens.wake_in_vain();  // none where this thread was held up until the deadline had passed
    until_after(deadline);

    EXPECT_EQ(loop.run_until(promise), WaitResult::timed_out);
    EXPECT_EQ(static_cast<std::size_t>(tokens.passed_on), woken);
}

TEST(Await, PassesAWakeUpOnThatCameInVainWhenAStopIsRequested) {
    EventLoop loop;
    Tokens tokens;
    std::stop_source stop;
    auto promise = take(tokens, stop.get_token());
    tokens.wake_in_vain();
    stop.request_stop();

    EXPECT_EQ(loop.run_until(promise), WaitResult::cancelled);
    EXPECT_EQ(tokens.passed_on, 1);
}

TEST(Await, SaysWhoWaitsForWhat) {
    struct Describe final : futon::core::QueueVisitor {
        void visit(const void*, const futon::core::Waiter& waiter) noexcept override {
            description = waiter.describe();
            request = waiter.request().word;
        }
        WaiterDescription description;
        std::uint64_t request = 0;
    } visitor;
    const EventLoop loop;
    Tokens tokens;
    const auto promise = take(tokens);

    futon::core::process_table().visit(&tokens, visitor);

    EXPECT_EQ(visitor.description.kind, WaiterDescription::Kind::task);
    EXPECT_EQ(std::string_view(visitor.description.operation), Tokens::Take::name);
    EXPECT_EQ(visitor.description.agent, &futon::Agent::current());
    EXPECT_EQ(visitor.request, Tokens::Take::wanted);
}

TEST(Await, LeavesItsQueueWhenTheCoroutineIsDestroyed) {
    const EventLoop loop;
    Tokens tokens;
    std::optional<WaitResult> result;
    OwnedCoroutine coroutine = take_owned(tokens, result);

    coroutine.destroy();

    EXPECT_EQ(waiting_at(tokens), 0u);
    EXPECT_EQ(tokens.passed_on + tokens.given_back, 0);
}

TEST(Await, PassesItsWakeUpOnWhenTheCoroutineIsDestroyed) {
    EventLoop loop;
    Tokens tokens;
    std::optional<WaitResult> result;
    OwnedCoroutine coroutine = take_owned(tokens, result);
    auto next = take(tokens);
    tokens.release();

    coroutine.destroy();

    EXPECT_EQ(tokens.passed_on, 1);
    EXPECT_EQ(loop.run_until(next), WaitResult::ok);
}

TEST(Await, GivesBackWhatWasHandedOffWhenTheCoroutineIsDestroyed) {
    const EventLoop loop;
    Tokens tokens;
    std::optional<WaitResult> result;
    OwnedCoroutine coroutine = take_owned(tokens, result);
    tokens.hand_off();

    coroutine.destroy();

    EXPECT_EQ(tokens.given_back, 1);
    EXPECT_EQ(tokens.available(), 1);
}

TEST(Await, PassesItsWakeUpOnWhenItsAgentEnds) {
    std::optional<EventLoop> loop(std::in_place);
    Tokens tokens;
    const auto promise = take(tokens);
    tokens.release();

    loop.reset();

    EXPECT_EQ(tokens.passed_on, 1);
    EXPECT_EQ(tokens.available(), 1);
}

TEST(Await, GivesBackWhatWasHandedOffWhenItsAgentEnds) {
    std::optional<EventLoop> loop(std::in_place);
    Tokens tokens;
    const auto promise = take(tokens);
    tokens.hand_off();

    loop.reset();

    EXPECT_EQ(tokens.given_back, 1);
}

TEST(Await, ResumesAForeignCoroutineAsCancelledWhenItsAgentEnds) {
    std::optional<EventLoop> loop(std::in_place);
    Tokens tokens;
    std::optional<WaitResult> result;
    const OwnedCoroutine coroutine = take_owned(tokens, result);
    tokens.hand_off();

    loop.reset();

    EXPECT_EQ(result, WaitResult::cancelled);
    EXPECT_EQ(tokens.given_back, 1);
}

}  // namespace
