// SPDX-License-Identifier: MIT
#include <chrono>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string_view>
#include <thread>
#include <utility>

#include <futon/core/driver/block.hpp>
#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/tokens.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using futon::Agent;
using futon::CanBlock;
using futon::Deadline;
using futon::WaitResult;
using futon::core::block;
using futon::core::BlockedWaiter;
using futon::core::WaiterDescription;
using futon::core::WaitQueues;
using futon::test::Tokens;
using futon::test::until;
using futon::test::until_after;
using futon::test::until_waiting;
using futon::test::waiting_at;

TEST(Block, TriesBeforeItEnqueues) {
    Tokens tokens(1);

    EXPECT_EQ(block(Tokens::Take(tokens)), WaitResult::ok);

    EXPECT_EQ(tokens.available(), 0);
    EXPECT_EQ(tokens.checks, 0);
}

TEST(Block, IsDoneAtOnceWhenTheCheckDoesIt) {
    Tokens tokens(1);
    tokens.tries_fail = true;

    EXPECT_EQ(block(Tokens::Take(tokens)), WaitResult::ok);

    EXPECT_EQ(tokens.checks, 1);
    EXPECT_EQ(waiting_at(tokens), 0u);
}

TEST(Block, ReturnsOnceAWakeUpHasDoneIt) {
    Tokens tokens;
    std::optional<WaitResult> result;
    std::jthread thread([&] { result = block(Tokens::Take(tokens)); });
    until_waiting(tokens, 1);

    EXPECT_EQ(tokens.release(), 1u);
    thread.join();

    EXPECT_EQ(result, WaitResult::ok);
    EXPECT_EQ(tokens.available(), 0);
}

TEST(Block, WaitsAgainWhenItWasWokenInVain) {
    Tokens tokens;
    std::jthread thread([&] { EXPECT_EQ(block(Tokens::Take(tokens)), WaitResult::ok); });
    until_waiting(tokens, 1);

    tokens.wake_in_vain();
    until([&] { return tokens.vain_wakes == 1; });
    until_waiting(tokens, 1);
    tokens.release();
    thread.join();

    EXPECT_EQ(tokens.passed_on, 0);
}

TEST(Block, OwnsWhatWasHandedOff) {
    Tokens tokens;
    std::jthread thread([&] { EXPECT_EQ(block(Tokens::Take(tokens)), WaitResult::ok); });
    until_waiting(tokens, 1);

    tokens.hand_off();
    thread.join();

    EXPECT_EQ(tokens.given_back, 0);
}

TEST(Block, LeavesNoWaiterBehindWhenItsDeadlineComes) {
    Tokens tokens;

    EXPECT_EQ(block(Tokens::Take(tokens), 1ms), WaitResult::timed_out);

    EXPECT_EQ(waiting_at(tokens), 0u);
    EXPECT_EQ(tokens.passed_on, 0);
}

TEST(Block, DoesNotEnqueueWhenItsDeadlineHasCome) {
    Tokens tokens;

    EXPECT_EQ(block(Tokens::Take(tokens), 0ms), WaitResult::timed_out);

    EXPECT_EQ(tokens.checks, 0);
}

TEST(Block, TriesEvenWhenItsDeadlineHasCome) {
    Tokens tokens(1);

    EXPECT_EQ(block(Tokens::Take(tokens), 0ms), WaitResult::ok);
}

TEST(Block, LeavesNoWaiterBehindWhenAStopIsRequested) {
    Tokens tokens;
    std::optional<WaitResult> result;
    std::jthread thread([&](const std::stop_token& stop) { result = block(Tokens::Take(tokens), stop); });
    until_waiting(tokens, 1);

    thread.request_stop();
    thread.join();

    EXPECT_EQ(result, WaitResult::cancelled);
    EXPECT_EQ(waiting_at(tokens), 0u);
}

TEST(Block, SaysWhoWaitsForWhat) {
    Tokens tokens;
    struct Describe final : futon::core::QueueVisitor {
        void visit(const void*, const futon::core::Waiter& waiter) noexcept override {
            description = waiter.describe();
            request = waiter.request().word;
        }
        WaiterDescription description;
        std::uint64_t request = 0;
    } visitor;
    std::jthread thread([&] { (void)block(Tokens::Take(tokens)); });
    until_waiting(tokens, 1);

    futon::core::process_table().visit(&tokens, visitor);
    tokens.hand_off();

    EXPECT_EQ(visitor.description.kind, WaiterDescription::Kind::thread);
    EXPECT_EQ(std::string_view(visitor.description.operation), Tokens::Take::name);
    EXPECT_EQ(visitor.request, Tokens::Take::wanted);
}

TEST(Block, ThrowsForAnOperationThatWasUsed) {
    Tokens tokens(1);

    EXPECT_THROW((void)block(used(tokens)), std::logic_error);

    EXPECT_EQ(tokens.available(), 1);
}

TEST(Block, ThrowsOnAnAgentThatMayNotBlockBeforeItTries) {
    Tokens tokens(1);
    const Agent agent(CanBlock::no);

    EXPECT_THROW((void)block(Tokens::Take(tokens)), futon::BlockingForbidden);

    EXPECT_EQ(tokens.available(), 1);
}

/// Calls a function while the waiter is queued; then the thread ends, or goes on once it is woken.
template <class F>
struct Meanwhile {
    F f;
    bool thread_ends;

    std::optional<WaitResult> operator()(BlockedWaiter& waiter, WaitQueues&, const futon::core::Until&) const {
        f();
        if (thread_ends) return std::nullopt;
        waiter.park();
        return waiter.result();
    }
};

template <class F>
WaitResult block_until_the_end(Tokens& tokens, F f) {
    return block(Tokens::Take(tokens), {}, Meanwhile<F>{f, true});
}

TEST(Block, PassesAWakeUpOnThatCameInVainWhenItsDeadlineHasCome) {
    Tokens tokens;
    const auto deadline = std::chrono::steady_clock::now() + 1ms;
    const auto wake = [&] {
        tokens.wake_in_vain();
        until_after(deadline);
    };

    const WaitResult result = block(Tokens::Take(tokens), deadline, Meanwhile<decltype(wake)>{wake, false});

    EXPECT_EQ(result, WaitResult::timed_out);
    EXPECT_EQ(waiting_at(tokens), 0u);
    // The thread may have been held up until the deadline had passed before it was enqueued.
    EXPECT_EQ(tokens.passed_on, tokens.checks);
}

TEST(Block, PassesAWakeUpOnThatCameInVainWhenAStopIsRequested) {
    Tokens tokens;
    std::stop_source stop;
    const auto wake_and_stop = [&] {
        tokens.wake_in_vain();
        stop.request_stop();
    };

    const WaitResult result =
        block(Tokens::Take(tokens), stop.get_token(), Meanwhile<decltype(wake_and_stop)>{wake_and_stop, false});

    EXPECT_EQ(result, WaitResult::cancelled);
    EXPECT_EQ(tokens.passed_on, 1);
}

TEST(Block, IsCancelledWhenItsThreadEndsInItsSleep) {
    Tokens tokens;

    EXPECT_EQ(block_until_the_end(tokens, [] {}), WaitResult::cancelled);

    EXPECT_EQ(waiting_at(tokens), 0u);
    EXPECT_EQ(tokens.passed_on + tokens.given_back, 0);
}

TEST(Block, PassesAWakeUpOnWhenItsThreadEndsInItsSleep) {
    Tokens tokens;

    EXPECT_EQ(block_until_the_end(tokens, [&] { tokens.release(); }), WaitResult::cancelled);

    EXPECT_EQ(tokens.passed_on, 1);
    EXPECT_EQ(tokens.available(), 1);
}

TEST(Block, GivesBackWhatWasHandedOffWhenItsThreadEndsInItsSleep) {
    Tokens tokens;

    EXPECT_EQ(block_until_the_end(tokens, [&] { tokens.hand_off(); }), WaitResult::cancelled);

    EXPECT_EQ(tokens.given_back, 1);
    EXPECT_EQ(tokens.available(), 1);
}

}  // namespace
