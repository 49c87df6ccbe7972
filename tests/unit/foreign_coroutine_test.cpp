// SPDX-License-Identifier: MIT
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include <futon/futon.hpp>

#include "support/coroutines.hpp"
#include "support/queue_executor.hpp"
#include "support/waiting.hpp"

namespace {

using futon::Agent;
using futon::AsyncLock;
using futon::EventLoop;
using futon::notify;
using futon::Promise;
using futon::wait_async;
using futon::WaitResult;
using futon::test::CountsItsEnd;
using futon::test::OwnedCoroutine;
using futon::test::QueueExecutor;
using futon::test::until_after;
using futon::test::until_waiting;
using futon::test::waiting_at;

/// How a coroutine found the end of its wait.
enum class Outcome { pending, fulfilled, broken, no_executor };

/// What one coroutine has to tell.
struct Story {
    Outcome outcome = Outcome::pending;
    int ends = 0;
};

OwnedCoroutine await_promise(const Promise<WaitResult>& promise, Story& story) {
    const CountsItsEnd local(story.ends);
    try {
        co_await promise;
        story.outcome = Outcome::fulfilled;
    } catch (const futon::NoExecutor&) {
        story.outcome = Outcome::no_executor;
    } catch (const std::logic_error&) {
        story.outcome = Outcome::broken;
    }
}

OwnedCoroutine await_word(std::atomic<int>& cell, Story& story) {
    const CountsItsEnd local(story.ends);
    try {
        co_await wait_async(cell, 0);
        story.outcome = Outcome::fulfilled;
    } catch (const futon::NoExecutor&) {
        story.outcome = Outcome::no_executor;
    } catch (const std::logic_error&) {
        story.outcome = Outcome::broken;
    }
}

Promise<void> wait_in_between(std::atomic<int>& cell) {
    co_await wait_async(cell, 0);
}

OwnedCoroutine await_coroutine(std::atomic<int>& cell, Story& story) {
    const CountsItsEnd local(story.ends);
    try {
        co_await wait_in_between(cell);
        story.outcome = Outcome::fulfilled;
    } catch (const std::logic_error&) {
        story.outcome = Outcome::broken;
    }
}

/// Waits again and again, as long as it may.
OwnedCoroutine insist(std::atomic<int>& cell, Story& story) {
    while (story.outcome != Outcome::no_executor) {
        try {
            co_await wait_async(cell, 0);
        } catch (const futon::NoExecutor&) {
            story.outcome = Outcome::no_executor;
        } catch (const std::logic_error&) {
            story.outcome = Outcome::broken;
        }
    }
}

OwnedCoroutine take_lock(AsyncLock& lock, std::optional<WaitResult>& result) {
    const AsyncLock::Guard guard = co_await lock.scoped_lock_async();
    EXPECT_EQ(guard.owns_lock(), guard.result() == WaitResult::ok);
    result = guard.result();
}

/// Lets time pass until whoever is in line now wants the lock handed over.
void exhaust_patience() {
    until_after(std::chrono::steady_clock::now() + AsyncLock::handoff_threshold);
}

TEST(ForeignCoroutine, IsToldThatItsWaitIsBrokenWhenTheLoopEnds) {
    std::optional<EventLoop> loop(std::in_place);
    std::atomic<int> cell{0};
    Story story;
    const OwnedCoroutine coroutine = await_word(cell, story);

    loop.reset();

    EXPECT_EQ(story.outcome, Outcome::broken);
    EXPECT_TRUE(coroutine.is_done());
    EXPECT_EQ(waiting_at(cell), 0u);
}

TEST(ForeignCoroutine, IsToldThatAPromiseItKeepsIsBrokenWhenTheLoopEnds) {
    std::optional<EventLoop> loop(std::in_place);
    std::atomic<int> cell{0};
    Story story;
    const auto promise = wait_async(cell, 0).promise();
    const OwnedCoroutine coroutine = await_promise(promise, story);

    loop.reset();

    EXPECT_EQ(story.outcome, Outcome::broken);
    EXPECT_TRUE(coroutine.is_done());
}

TEST(ForeignCoroutine, IsToldThatACoroutineItAwaitsIsBrokenWhenTheLoopEnds) {
    std::optional<EventLoop> loop(std::in_place);
    std::atomic<int> cell{0};
    Story story;
    const OwnedCoroutine coroutine = await_coroutine(cell, story);

    loop.reset();

    EXPECT_EQ(story.outcome, Outcome::broken);
    EXPECT_TRUE(coroutine.is_done());
}

TEST(ForeignCoroutine, IsToldThatItsWaitIsBrokenWhenTheLoopEndsWithItsWakeOnTheWay) {
    std::optional<EventLoop> loop(std::in_place);
    std::atomic<int> cell{0};
    Story story;
    const OwnedCoroutine coroutine = await_word(cell, story);
    EXPECT_EQ(notify(cell), 1u);

    loop.reset();

    EXPECT_EQ(story.outcome, Outcome::broken);
    EXPECT_TRUE(coroutine.is_done());
}

TEST(ForeignCoroutine, IsGivenTheValueOfASettledPromiseWhenTheLoopEndsBeforeItsTurn) {
    std::optional<EventLoop> loop(std::in_place);
    std::atomic<int> cell{0};
    Story story;
    const auto promise = wait_async(cell, 0).promise();
    const OwnedCoroutine coroutine = await_promise(promise, story);
    notify(cell);
    loop->poll();
    EXPECT_TRUE(promise.is_settled());
    EXPECT_EQ(story.outcome, Outcome::pending);

    loop.reset();

    EXPECT_EQ(story.outcome, Outcome::fulfilled);
}

TEST(ForeignCoroutine, IsDestroyedByItsOwnerOnly) {
    std::optional<EventLoop> loop(std::in_place);
    std::atomic<int> cell{0};
    Story waiting;
    Story woken;
    {
        std::atomic<int> other{0};
        const OwnedCoroutine first = await_word(cell, waiting);
        const OwnedCoroutine second = await_word(other, woken);
        notify(other);

        loop.reset();
    }

    EXPECT_EQ(waiting.ends, 1);
    EXPECT_EQ(woken.ends, 1);
}

TEST(ForeignCoroutine, BeginsNoOtherWaitWhileTheLoopEnds) {
    std::optional<EventLoop> loop(std::in_place);
    std::atomic<int> cell{0};
    Story story;
    const OwnedCoroutine coroutine = insist(cell, story);

    loop.reset();

    EXPECT_EQ(story.outcome, Outcome::no_executor);
    EXPECT_TRUE(coroutine.is_done());
    EXPECT_EQ(waiting_at(cell), 0u);
}

TEST(ForeignCoroutine, MayDestroyAnotherWhenItIsToldThatTheLoopEnds) {
    std::optional<EventLoop> loop(std::in_place);
    std::atomic<int> cell{0};
    Story other;
    std::optional<OwnedCoroutine> victim(await_word(cell, other));
    const auto destroying = [](std::atomic<int>& word, std::optional<OwnedCoroutine>& whom) -> OwnedCoroutine {
        try {
            co_await wait_async(word, 0);
        } catch (const std::logic_error&) {
            whom.reset();
        }
    };
    const OwnedCoroutine destroyer = destroying(cell, victim);

    loop.reset();

    EXPECT_TRUE(destroyer.is_done());
    EXPECT_FALSE(victim.has_value());
    EXPECT_EQ(other.ends, 1);
}

TEST(ForeignCoroutine, GetsAGuardThatOwnsNothingWhenTheLoopEnds) {
    AsyncLock lock;
    std::optional<EventLoop> loop(std::in_place);
    std::optional<WaitResult> result;
    lock.try_lock();
    const OwnedCoroutine coroutine = take_lock(lock, result);

    loop.reset();

    EXPECT_EQ(result, WaitResult::cancelled);
    EXPECT_TRUE(coroutine.is_done());
    EXPECT_EQ(waiting_at(lock), 0u);
}

TEST(ForeignCoroutine, PassesItsWakeOnWhenTheLoopEnds) {
    AsyncLock lock;
    std::optional<EventLoop> loop(std::in_place);
    std::optional<WaitResult> result;
    lock.try_lock();
    const OwnedCoroutine coroutine = take_lock(lock, result);
    std::thread next([&] { const std::scoped_lock hold(lock); });
    until_waiting(lock, 2);
    lock.unlock();

    loop.reset();
    next.join();

    EXPECT_EQ(result, WaitResult::cancelled);
    EXPECT_TRUE(lock.try_lock());
}

TEST(ForeignCoroutine, PassesTheLockOnThatItWasHandedWhenTheLoopEnds) {
    AsyncLock lock;
    std::optional<EventLoop> loop(std::in_place);
    std::optional<WaitResult> result;
    lock.try_lock();
    const OwnedCoroutine coroutine = take_lock(lock, result);
    exhaust_patience();
    std::thread next([&] { const std::scoped_lock hold(lock); });
    until_waiting(lock, 2);
    lock.unlock();

    loop.reset();
    next.join();

    EXPECT_EQ(result, WaitResult::cancelled);
    EXPECT_TRUE(lock.try_lock());
}

TEST(ForeignCoroutine, WakesABlockedThreadWhenItIsDestroyedWithItsWakeOnTheWay) {
    AsyncLock lock;
    EventLoop loop;
    std::optional<WaitResult> result;
    lock.try_lock();
    OwnedCoroutine coroutine = take_lock(lock, result);
    std::thread next([&] { const std::scoped_lock hold(lock); });
    until_waiting(lock, 2);
    lock.unlock();

    coroutine.destroy();
    next.join();

    EXPECT_FALSE(result.has_value());
    EXPECT_TRUE(lock.try_lock());
}

TEST(ForeignCoroutine, HandsTheLockToABlockedThreadWhenItIsDestroyedAsItsOwner) {
    AsyncLock lock;
    EventLoop loop;
    std::optional<WaitResult> result;
    lock.try_lock();
    OwnedCoroutine coroutine = take_lock(lock, result);
    exhaust_patience();
    std::thread next([&] { const std::scoped_lock hold(lock); });
    until_waiting(lock, 2);
    lock.unlock();

    coroutine.destroy();
    next.join();

    EXPECT_FALSE(result.has_value());
    EXPECT_TRUE(lock.try_lock());
}

TEST(ForeignCoroutine, IsToldThatItsWaitIsBrokenWhenItsAgentEnds) {
    QueueExecutor queue;
    std::optional<Agent> agent(std::in_place, queue);
    std::atomic<int> cell{0};
    AsyncLock lock;
    Story story;
    std::optional<WaitResult> result;
    lock.try_lock();
    const OwnedCoroutine waiting = await_word(cell, story);
    const OwnedCoroutine locking = take_lock(lock, result);

    agent.reset();

    EXPECT_EQ(story.outcome, Outcome::broken);
    EXPECT_EQ(result, WaitResult::cancelled);
    EXPECT_TRUE(waiting.is_done());
    EXPECT_TRUE(locking.is_done());
}

TEST(ForeignCoroutine, GetsAGuardThatOwnsNothingWhenItsAgentEndedWithItsWakeOnTheWay) {
    QueueExecutor queue;
    std::optional<Agent> agent(std::in_place, queue);
    AsyncLock lock;
    std::optional<WaitResult> result;
    lock.try_lock();
    const OwnedCoroutine coroutine = take_lock(lock, result);
    lock.unlock();

    agent.reset();
    queue.run_all();

    EXPECT_EQ(result, WaitResult::cancelled);
    EXPECT_TRUE(coroutine.is_done());
    EXPECT_TRUE(lock.try_lock());
}

TEST(ForeignCoroutine, OfAnInnerLoopIsToldWhenThatEndsAlthoughThePromiseIsTheOuterOnes) {
    EventLoop outer;
    std::atomic<int> cell{0};
    Story story;
    auto promise = wait_async(cell, 0).promise();
    std::optional<EventLoop> inner(std::in_place);
    const OwnedCoroutine coroutine = await_promise(promise, story);

    inner.reset();
    const Outcome told = story.outcome;
    notify(cell);

    EXPECT_EQ(told, Outcome::broken);
    EXPECT_EQ(outer.run_until(promise), WaitResult::ok);
    EXPECT_TRUE(coroutine.is_done());
}

}  // namespace
