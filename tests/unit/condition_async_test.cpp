// SPDX-License-Identifier: MIT
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <futon/futon.hpp>

#include "support/coroutines.hpp"
#include "support/gtest.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using futon::AsyncLock;
using futon::Condition;
using futon::Deadline;
using futon::EventLoop;
using futon::Promise;
using futon::WaitResult;
using futon::test::DestructionCounter;
using futon::test::OwnedCoroutine;
using futon::test::until_waiting;
using futon::test::waiting_at;

struct SceneOfCoroutines {
    explicit SceneOfCoroutines(futon::Fairness fairness = futon::Fairness::bounded) : lock(fairness) {}

    AsyncLock lock;
    Condition condition;
    std::vector<int> order;
    bool is_set = false;

    Promise<WaitResult> wait(int number, futon::Limits limits = {}) {
        AsyncLock::Guard guard = co_await lock.scoped_lock_async();
        const WaitResult result = co_await condition.wait_async(guard, std::move(limits));
        EXPECT_TRUE(guard.owns_lock());
        order.push_back(number);
        co_return result;
    }
    Promise<bool> wait_until_set(futon::Limits limits = {}) {
        AsyncLock::Guard guard = co_await lock.scoped_lock_async();
        const bool is_true = co_await condition.wait_async(
            guard, [this] { return is_set; }, std::move(limits));
        EXPECT_TRUE(guard.owns_lock());
        co_return is_true;
    }
    OwnedCoroutine wait_owned(bool& is_resumed) {
        AsyncLock::Guard guard = co_await lock.scoped_lock_async();
        (void)co_await condition.wait_async(guard);
        is_resumed = true;
    }

    /// The lock, which is free.
    AsyncLock::Guard hold() {
        EXPECT_TRUE(lock.try_lock());
        return {lock, std::adopt_lock};
    }

    /// A thread that is queued behind those that are.
    std::jthread waiter(WaitResult& result) {
        const std::size_t before = waiting_at(condition);
        std::jthread thread([this, &result] {
            std::unique_lock hold(lock);
            result = condition.wait(hold);
        });
        until_waiting(condition, before + 1);
        const std::scoped_lock hold(lock);  // released once it is queued
        return thread;
    }
};

template <class T>
T run(EventLoop& loop, Promise<T> promise) {
    return loop.run_until(std::move(promise));
}

TEST(ConditionAsync, NotifiesThreadsAndCoroutinesInTheirOrder) {
    EventLoop loop(futon::CanBlock::yes);
    SceneOfCoroutines scene;
    auto first = scene.wait(1);
    WaitResult result = WaitResult::timed_out;
    {
        const std::jthread thread = scene.waiter(result);
        auto third = scene.wait(3);
        {
            const std::scoped_lock hold(scene.lock);
            EXPECT_EQ(scene.condition.notify_one(), 1U);
            EXPECT_EQ(waiting_at(scene.lock), 1U) << "it is moved, not woken";
            EXPECT_EQ(scene.condition.notify_all(), 2U);
            EXPECT_EQ(waiting_at(scene.lock), 3U);
        }
        EXPECT_EQ(run(loop, std::move(first)), WaitResult::ok);
        EXPECT_EQ(run(loop, std::move(third)), WaitResult::ok);
    }
    EXPECT_EQ(result, WaitResult::ok);
    EXPECT_TRUE(scene.lock.try_lock());
}

TEST(ConditionAsync, AStopAfterTheNotificationTakesNoPlaceFromOthers) {
    for (const auto fairness : {futon::Fairness::strict, futon::Fairness::bounded}) {
        EventLoop loop;
        SceneOfCoroutines scene(fairness);
        std::stop_source source;
        auto first = scene.wait(1);
        auto second = scene.wait(2);
        auto third = scene.wait(3, source.get_token());
        {
            const AsyncLock::Guard guard = scene.hold();
            EXPECT_EQ(scene.condition.notify_all(), 3U);
            source.request_stop();  // it is for the lock by now, and returns to its place in that queue
            EXPECT_EQ(waiting_at(scene.lock), 2U);
            loop.poll();
            EXPECT_EQ(waiting_at(scene.lock), 3U);
        }
        EXPECT_EQ(run(loop, std::move(first)), WaitResult::ok);
        EXPECT_EQ(run(loop, std::move(second)), WaitResult::ok);
        EXPECT_EQ(run(loop, std::move(third)), WaitResult::ok);
        EXPECT_EQ(scene.order, (std::vector{1, 2, 3}));
    }
}

TEST(ConditionAsync, IsNotifiedOnItsOwnLoopWithTheLockFree) {
    EventLoop loop;
    SceneOfCoroutines scene;
    auto first = scene.wait(1);
    auto second = scene.wait(2);
    EXPECT_EQ(scene.condition.notify_all(), 2U);
    EXPECT_TRUE(scene.order.empty()) << "no coroutine runs inside the call that notifies it";
    EXPECT_EQ(run(loop, std::move(first)), WaitResult::ok);
    EXPECT_EQ(run(loop, std::move(second)), WaitResult::ok);
    EXPECT_EQ(scene.order, (std::vector{1, 2}));
}

TEST(ConditionAsync, WaitsForItsPredicate) {
    EventLoop loop;
    SceneOfCoroutines scene;
    auto waiting = scene.wait_until_set();
    scene.condition.notify_all();
    loop.poll();
    EXPECT_FALSE(waiting.is_settled());
    EXPECT_EQ(waiting_at(scene.condition), 1U);
    scene.is_set = true;
    scene.condition.notify_all();
    EXPECT_TRUE(run(loop, std::move(waiting)));
}

TEST(ConditionAsync, APredicateThatHoldsBeatsADeadlineAndAStop) {
    EventLoop loop;
    SceneOfCoroutines scene;
    std::stop_source source;
    source.request_stop();
    EXPECT_FALSE(run(loop, scene.wait_until_set(0ms)));
    EXPECT_FALSE(run(loop, scene.wait_until_set(1ms)));
    EXPECT_FALSE(run(loop, scene.wait_until_set(source.get_token())));
    scene.is_set = true;
    EXPECT_TRUE(run(loop, scene.wait_until_set({0ms, source.get_token()})));
}

TEST(ConditionAsync, APredicateThatThrowsLeavesTheLockOwned) {
    EventLoop loop;
    SceneOfCoroutines scene;
    const auto wait = [&]() -> Promise<bool> {
        AsyncLock::Guard guard = co_await scene.lock.scoped_lock_async();
        bool has_thrown = false;
        try {
            co_await scene.condition.wait_async(guard, []() -> bool { throw std::runtime_error("no"); });
        } catch (const std::runtime_error&) {
            has_thrown = true;
        }
        co_return has_thrown&& guard.owns_lock();
    };
    EXPECT_TRUE(run(loop, wait()));
}

TEST(ConditionAsync, ATimeOutAndAStopOwnTheLock) {
    EventLoop loop;
    SceneOfCoroutines scene;
    EXPECT_EQ(run(loop, scene.wait(1, 1ms)), WaitResult::timed_out);
    EXPECT_EQ(run(loop, scene.wait(1, 0ms)), WaitResult::timed_out);
    std::stop_source source;
    auto stopped = scene.wait(1, source.get_token());
    source.request_stop();
    EXPECT_EQ(run(loop, std::move(stopped)), WaitResult::cancelled);
    EXPECT_EQ(run(loop, scene.wait(1, {0ms, source.get_token()})), WaitResult::cancelled);
    EXPECT_EQ(scene.condition.notify_one(), 0U);
    EXPECT_TRUE(scene.lock.try_lock());
}

TEST(ConditionAsync, AStopThatComesAfterTheNotificationChangesNothing) {
    EventLoop loop;
    SceneOfCoroutines scene;
    std::stop_source source;
    auto waiting = scene.wait(1, {1h, source.get_token()});
    AsyncLock::Guard guard = scene.hold();
    EXPECT_EQ(scene.condition.notify_one(), 1U);
    source.request_stop();
    loop.poll();
    EXPECT_FALSE(waiting.is_settled());
    EXPECT_EQ(waiting_at(scene.lock), 1U);
    guard.unlock();
    EXPECT_EQ(run(loop, std::move(waiting)), WaitResult::ok);
}

TEST(ConditionAsync, AStopThatComesBeforeTheNotificationWaitsForTheLock) {
    EventLoop loop;
    SceneOfCoroutines scene;
    std::stop_source source;
    auto waiting = scene.wait(1, source.get_token());
    AsyncLock::Guard guard = scene.hold();
    source.request_stop();
    EXPECT_EQ(scene.condition.notify_one(), 0U);
    loop.poll();
    EXPECT_FALSE(waiting.is_settled());
    EXPECT_EQ(waiting_at(scene.lock), 1U);
    guard.unlock();
    EXPECT_EQ(run(loop, std::move(waiting)), WaitResult::cancelled);
}

/// Destroys a notified coroutine at some stage; the thread behind it is notified in its place.
void destroy_notified(int stage) {
    EventLoop loop(futon::CanBlock::yes);
    SceneOfCoroutines scene;
    bool is_resumed = false;
    OwnedCoroutine coroutine = scene.wait_owned(is_resumed);
    WaitResult result = WaitResult::timed_out;
    const std::jthread thread = scene.waiter(result);
    AsyncLock::Guard guard = scene.hold();
    if (stage == 2) futon::test::until_after(std::chrono::steady_clock::now() + 2ms);
    EXPECT_EQ(scene.condition.notify_one(), 1U);
    if (stage == 0) coroutine.destroy();  // queued for the lock
    guard.unlock();
    coroutine.destroy();  // woken for the lock, or offered it
    EXPECT_FALSE(is_resumed);
}

TEST(ConditionAsync, ACoroutineThatIsDestroyedPassesItsNotificationOn) {
    for (int stage = 0; stage < 3; ++stage) destroy_notified(stage);
}

TEST(ConditionAsync, ACoroutineThatIsDestroyedPassesNotifyAllOnToNone) {
    EventLoop loop;
    SceneOfCoroutines scene;
    bool is_resumed = false;
    OwnedCoroutine coroutine = scene.wait_owned(is_resumed);
    {
        const AsyncLock::Guard guard = scene.hold();
        EXPECT_EQ(scene.condition.notify_all(), 1U);
    }
    auto late = scene.wait(1);
    coroutine.destroy();
    loop.poll();
    EXPECT_FALSE(late.is_settled()) << "it came after the notification";
    EXPECT_EQ(scene.condition.notify_one(), 1U);
    EXPECT_EQ(run(loop, std::move(late)), WaitResult::ok);
}

TEST(ConditionAsync, ACoroutineThatIsDestroyedUnnotifiedLeavesNothing) {
    EventLoop loop;
    SceneOfCoroutines scene;
    bool is_resumed = false;
    {
        OwnedCoroutine coroutine = scene.wait_owned(is_resumed);
        EXPECT_EQ(waiting_at(scene.condition), 1U);
    }
    EXPECT_EQ(scene.condition.notify_one(), 0U);
    EXPECT_TRUE(scene.lock.try_lock()) << "it had released the lock";
}

TEST(ConditionAsync, APredicateMayOwnWhatIsWaitedFor) {
    struct Owned {
        AsyncLock lock;
        Condition condition;
        bool is_ready = false;
    };
    EventLoop loop;
    std::shared_ptr<Owned> owned(new Owned);  // in memory of its own, which a weak pointer does not keep
    const std::weak_ptr<Owned> watched = owned;
    OwnedCoroutine coroutine = [](std::shared_ptr<Owned> self) -> OwnedCoroutine {
        auto guard = co_await self->lock.scoped_lock_async();
        Condition& condition = self->condition;
        auto is_ready = [owner = std::move(self)] { return owner->is_ready; };
        auto wait = condition.wait_async(guard, std::move(is_ready));
        co_await wait;
    }(std::move(owned));
    loop.poll();
    EXPECT_FALSE(watched.expired());

    coroutine.destroy();  // it leaves the queue before its predicate frees the condition
    EXPECT_TRUE(watched.expired());
}

TEST(ConditionAsync, ALoopThatEndsPassesItsNotificationOn) {
    SceneOfCoroutines scene;
    WaitResult result = WaitResult::timed_out;
    std::jthread thread;
    int destroyed = 0;
    {
        EventLoop loop(futon::CanBlock::yes);
        const auto wait = [&]() -> Promise<void> {
            const DestructionCounter local(destroyed);
            AsyncLock::Guard guard = co_await scene.lock.scoped_lock_async();
            co_await scene.condition.wait_async(guard, [&] { return scene.is_set; });
        };
        auto waiting = wait();
        thread = scene.waiter(result);
        EXPECT_EQ(scene.condition.notify_one(), 1U);
    }
    thread.join();
    EXPECT_EQ(destroyed, 1);
    EXPECT_EQ(result, WaitResult::ok);
    EXPECT_TRUE(scene.lock.try_lock());
}

TEST(ConditionAsync, AForeignCoroutineIsToldThatItsAgentHasEnded) {
    SceneOfCoroutines scene;
    std::optional<WaitResult> result;
    std::optional<bool> holds;
    const auto wait = [&]() -> OwnedCoroutine {
        AsyncLock::Guard guard = co_await scene.lock.scoped_lock_async();
        result = co_await scene.condition.wait_async(guard);
        EXPECT_FALSE(guard.owns_lock());
    };
    const auto wait_until = [&]() -> OwnedCoroutine {
        AsyncLock::Guard guard = co_await scene.lock.scoped_lock_async();
        holds = co_await scene.condition.wait_async(guard, [] { return false; });
        EXPECT_FALSE(guard.owns_lock());
    };
    std::optional<OwnedCoroutine> first;
    std::optional<OwnedCoroutine> second;
    {
        EventLoop loop;
        first.emplace(wait());
        second.emplace(wait_until());
    }
    EXPECT_EQ(result, WaitResult::cancelled);
    EXPECT_EQ(holds, false);
    EXPECT_TRUE(scene.lock.try_lock());
}

TEST(ConditionAsync, IsAPromise) {
    EventLoop loop;
    SceneOfCoroutines scene;
    auto guard = scene.hold();
    auto waiting = futon::promise_of(scene.condition.waiting(std::move(guard)));
    EXPECT_TRUE(scene.lock.try_lock()) << "it has released the lock";
    EXPECT_EQ(scene.condition.notify_one(), 1U);
    scene.lock.unlock();
    const Condition::Wakeup wakeup = run(loop, std::move(waiting));
    EXPECT_EQ(wakeup.result, WaitResult::ok);
    EXPECT_TRUE(wakeup.guard.owns_lock());
}

TEST(ConditionAsync, APromiseThatIsDroppedPassesItsNotificationOn) {
    EventLoop loop;
    SceneOfCoroutines scene;
    auto dropped =
        std::make_unique<Promise<Condition::Wakeup>>(futon::promise_of(scene.condition.waiting(scene.hold())));
    auto behind = scene.wait(2);
    auto guard = scene.hold();
    EXPECT_EQ(scene.condition.notify_one(), 1U);
    dropped.reset();
    guard.unlock();
    EXPECT_EQ(run(loop, std::move(behind)), WaitResult::ok);
}

TEST(ConditionAsync, APromiseOfAWaitThatIsOverOwnsTheLock) {
    EventLoop loop;
    SceneOfCoroutines scene;
    const Condition::Wakeup wakeup = run(loop, futon::promise_of(scene.condition.waiting(scene.hold()), 1ms));
    EXPECT_EQ(wakeup.result, WaitResult::timed_out);
    EXPECT_TRUE(wakeup.guard.owns_lock());
}

TEST(ConditionAsync, RefusesAGuardThatOwnsNothing) {
    EventLoop loop;
    SceneOfCoroutines scene;
    AsyncLock::Guard empty(WaitResult::cancelled);
    EXPECT_THROW((void)scene.condition.wait_async(empty), std::system_error);
    EXPECT_THROW((void)scene.condition.wait_async(empty, [] { return true; }), std::system_error);
}

TEST(ConditionAsync, RefusesAThreadWithoutAnExecutorBeforeItReleasesTheLock) {
    SceneOfCoroutines scene;
    AsyncLock::Guard guard = scene.hold();
    auto wait = scene.condition.wait_async(guard);
    EXPECT_THROW(wait.await_ready(), futon::NoExecutor);
    EXPECT_TRUE(guard.owns_lock());
}

}  // namespace
