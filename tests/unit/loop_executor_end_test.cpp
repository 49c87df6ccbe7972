// SPDX-License-Identifier: MIT
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>

#include <futon/core/loop/loop_executor.hpp>
#include <futon/futon.hpp>

#include "support/coroutines.hpp"
#include "support/gtest.hpp"
#include "support/promises.hpp"
#include "support/waiting.hpp"
#include "support/waiting_coroutines.hpp"

namespace {

using namespace std::chrono_literals;
using futon::Agent;
using futon::AsyncLock;
using futon::notify;
using futon::WaitResult;
using futon::core::LoopExecutor;
using futon::test::DestructionCounter;
using futon::test::lock_owned;
using futon::test::OwnedCoroutine;
using futon::test::wait_counted;
using futon::test::waiting_at;

/// An executor that a test ends, or whose jobs fail.
class LoopExecutorEnd : public testing::Test {
protected:
    std::atomic<int> wakes{0};
    std::atomic<bool> has_ended{false};
    std::atomic<int> wakes_after_the_end{0};
    std::optional<LoopExecutor> executor{std::in_place, [this]() noexcept {
                                             ++wakes;
                                             if (has_ended) ++wakes_after_the_end;
                                         }};
};

TEST_F(LoopExecutorEnd, IsTheAgentOfItsThreadWhileItLives) {
    EXPECT_EQ(Agent::current().executor(), &*executor);
    EXPECT_FALSE(Agent::current().can_block());

    executor.reset();

    EXPECT_EQ(Agent::current().executor(), nullptr);
}

TEST_F(LoopExecutorEnd, MayBeTheAgentOfAThreadThatBlocks) {
    const LoopExecutor blocking([]() noexcept {}, futon::CanBlock::yes);

    EXPECT_TRUE(Agent::current().can_block());
}

TEST_F(LoopExecutorEnd, LeavesTheQueuesOfItsWaits) {
    std::atomic<int> word{0};
    const auto promise = futon::wait_async(word, 0, 1h).promise();

    executor.reset();

    EXPECT_EQ(waiting_at(word), 0u);
    EXPECT_FALSE(promise.is_settled());
}

TEST_F(LoopExecutorEnd, DestroysItsCoroutines) {
    std::atomic<int> word{0};
    int destroyed = 0;
    const auto promise = wait_counted(word, destroyed);

    executor.reset();

    EXPECT_EQ(destroyed, 1);
}

TEST_F(LoopExecutorEnd, ResumesForeignCoroutines) {
    AsyncLock lock;
    lock.try_lock();
    std::optional<WaitResult> result;
    const OwnedCoroutine coroutine = lock_owned(lock, result);

    executor.reset();

    EXPECT_EQ(result, WaitResult::cancelled);
}

TEST_F(LoopExecutorEnd, DestroysTheCoroutineWhoseWakeUpIsPosted) {
    std::atomic<int> word{0};
    int destroyed = 0;
    const auto promise = wait_counted(word, destroyed);
    std::thread([&] { notify(word); }).join();

    executor.reset();

    EXPECT_EQ(destroyed, 1);
}

TEST_F(LoopExecutorEnd, DiscardsWhatIsPostedAndWhatIsArmed) {
    int destroyed = 0;
    bool has_run = false;
    executor->post([&, held = std::make_shared<DestructionCounter>(destroyed)] { has_run = true; });
    executor->post_after(0ms, [&, held = std::make_shared<DestructionCounter>(destroyed)] { has_run = true; });

    executor.reset();

    EXPECT_EQ(destroyed, 2);
    EXPECT_FALSE(has_run);
}

TEST_F(LoopExecutorEnd, CallsWakeNoMoreOnceItHasEnded) {
    std::atomic<int> word{0};
    std::atomic<bool> is_over{false};
    std::jthread notifier([&] {
        while (!is_over) notify(word);
    });
    for (int round = 0; round < 300; ++round) {
        has_ended = false;
        executor.emplace([this]() noexcept {
            if (has_ended) ++wakes_after_the_end;
        });
        const auto first = futon::wait_async(word, 0).promise();
        const auto second = futon::wait_async(word, 0).promise();
        if (round % 2 == 0) executor->poll();

        executor.reset();
        has_ended = true;
    }
    is_over = true;
    notifier.join();

    EXPECT_EQ(wakes_after_the_end, 0);
}

TEST_F(LoopExecutorEnd, AnExceptionOfAJobLeavesFromPoll) {
    executor->post([] { throw std::runtime_error("broken"); });

    EXPECT_THROW(executor->poll(), std::runtime_error);
}

TEST_F(LoopExecutorEnd, AnExceptionOfATimerLeavesFromPoll) {
    executor->post_after(0ms, [] { throw std::runtime_error("broken"); });
    futon::test::until_after(executor->next_deadline());

    EXPECT_THROW(executor->poll(), std::runtime_error);
}

TEST_F(LoopExecutorEnd, ARejectionThatIsNotObservedLeavesFromPoll) {
    { const auto promise = futon::test::rejected(); }

    EXPECT_THROW(executor->poll(), std::runtime_error);
}

TEST_F(LoopExecutorEnd, WakesItsHostForARejectionThatIsNotObserved) {
    { const auto promise = futon::test::rejected(); }

    EXPECT_EQ(wakes, 1);
}

TEST_F(LoopExecutorEnd, StaysUsableAfterAnException) {
    bool has_run = false;
    executor->post([] { throw std::runtime_error("broken"); });
    executor->post([&] { has_run = true; });
    wakes = 0;

    EXPECT_THROW(executor->poll(), std::runtime_error);
    EXPECT_FALSE(has_run);
    EXPECT_GE(wakes, 1);  // for what is left
    EXPECT_TRUE(executor->poll());

    EXPECT_TRUE(has_run);
}

TEST_F(LoopExecutorEnd, WakesItsHostForWhatArrivedBeforeAnExceptionLeft) {
    bool has_run = false;
    { const auto promise = futon::test::rejected(); }
    std::thread([&] { executor->post([&] { has_run = true; }); }).join();
    wakes = 0;

    EXPECT_THROW(executor->poll(), std::runtime_error);

    EXPECT_GE(wakes, 1);
    EXPECT_EQ(executor->next_deadline(), std::chrono::steady_clock::time_point::min());
    executor->poll();
    EXPECT_TRUE(has_run);
}

}  // namespace
