// SPDX-License-Identifier: MIT
// What comes while a wait begins: on a pool of threads its job may run before await_suspend has returned. [hand-over]
#include <functional>
#include <optional>
#include <stop_token>
#include <utility>

#include <futon/futon.hpp>

#include "support/coroutines.hpp"
#include "support/gtest.hpp"
#include "support/manual_strand.hpp"
#include "support/tokens.hpp"

namespace {

using namespace std::chrono_literals;
using futon::Deadline;
using futon::WaitResult;
using futon::test::ManualStrand;
using futon::test::OwnedCoroutine;
using futon::test::Tokens;

/// Takes a token; calls a function each time its waiter was enqueued, while its driver is still busy with the beginning.
class InterruptedTake : public Tokens::Take {
public:
    InterruptedTake(Tokens& tokens, std::function<void()> meanwhile) : Take(tokens), meanwhile_(std::move(meanwhile)) {}
    void queued() const { meanwhile_(); }

private:
    std::function<void()> meanwhile_;
};

/// A wait, and what happens each time it begins.
class AwaitOnHandOver : public testing::Test {
protected:
    OwnedCoroutine take(std::function<void()> meanwhile, std::stop_token stop = {}) {
        const WaitResult seen =
            co_await futon::await_on(strand, InterruptedTake(tokens, std::move(meanwhile)), {1h, std::move(stop)});
        result = seen;
    }

    void expect_all_ended() const {
        EXPECT_EQ(strand.pending, 0);
        EXPECT_EQ(strand.armed, 0);
    }

    Tokens tokens;
    ManualStrand strand;
    std::optional<WaitResult> result;
};

TEST_F(AwaitOnHandOver, AJobThatRunsBeforeTheSuspensionLeavesTheCompletionToIt) {
    const OwnedCoroutine coroutine = take([&] {
        tokens.release();
        EXPECT_EQ(strand.run_all(), 1u);
        EXPECT_FALSE(result);
    });

    EXPECT_EQ(result, WaitResult::ok);
    EXPECT_EQ(tokens.available(), 0);
    expect_all_ended();
}

TEST_F(AwaitOnHandOver, AWakeInVainBeforeTheSuspensionBeginsAnotherWait) {
    int begun = 0;
    const OwnedCoroutine coroutine = take([&] {
        if (++begun == 3) return;
        tokens.wake_in_vain();
        EXPECT_EQ(strand.run_all(), 1u);
    });
    EXPECT_FALSE(result);
    EXPECT_EQ(begun, 3);
    EXPECT_EQ(strand.pending, 1);
    EXPECT_EQ(strand.armed, 1);

    tokens.release();
    EXPECT_EQ(strand.run_all(), 1u);

    EXPECT_EQ(result, WaitResult::ok);
    expect_all_ended();
}

TEST_F(AwaitOnHandOver, AJobThatRunsWhileAnotherBeginsTheNextWaitLeavesTheCompletionToThat) {
    int begun = 0;
    const OwnedCoroutine coroutine = take([&] {
        if (++begun != 2) return;
        tokens.release();
        EXPECT_EQ(strand.run_all(), 1u);
        EXPECT_FALSE(result);
    });

    tokens.wake_in_vain();
    EXPECT_EQ(strand.run_all(), 1u);

    EXPECT_EQ(result, WaitResult::ok);
    expect_all_ended();
}

TEST_F(AwaitOnHandOver, AJobThatIsDiscardedBeforeTheSuspensionCancels) {
    const OwnedCoroutine coroutine = take([&] {
        tokens.hand_off();
        EXPECT_EQ(strand.discard_all(), 1u);
        EXPECT_FALSE(result);
    });

    EXPECT_EQ(result, WaitResult::cancelled);
    EXPECT_EQ(tokens.given_back, 1);
    expect_all_ended();
}

TEST_F(AwaitOnHandOver, AStopBeforeTheSuspensionIsNotMissed) {
    std::stop_source stop;
    const OwnedCoroutine coroutine = take([&] { stop.request_stop(); }, stop.get_token());
    EXPECT_FALSE(result);

    EXPECT_EQ(strand.run_all(), 1u);

    EXPECT_EQ(result, WaitResult::cancelled);
    expect_all_ended();
}

}  // namespace
