// SPDX-License-Identifier: MIT
#include <chrono>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>
#include <variant>

#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using futon::AsyncLock;
using futon::Condition;
using futon::WaitResult;
using futon::test::until_waiting;
using futon::test::waiting_at;

struct SceneBesideAWord {
    AsyncLock lock;
    Condition condition;
    int word = 0;

    Condition::Waiting waiting() { return condition.waiting(futon::block(lock.locking())); }
};

TEST(ConditionSelect, IsChosenWhenItIsNotified) {
    SceneBesideAWord scene;
    std::jthread notifier([&] {
        until_waiting(scene.condition, 1);
        const std::scoped_lock hold(scene.lock);
        EXPECT_EQ(scene.condition.notify_one(), 1U);
    });
    auto chosen = futon::select(futon::waiting(futon::Word(scene.word), 0), scene.waiting());
    ASSERT_EQ(chosen.index(), 1U);
    EXPECT_EQ(std::get<1>(chosen).result, WaitResult::ok);
    EXPECT_TRUE(std::get<1>(chosen).guard.owns_lock());
    EXPECT_EQ(waiting_at(scene.word), 0U);
}

TEST(ConditionSelect, HasReleasedTheLockIfAnotherIsChosen) {
    SceneBesideAWord scene;
    EXPECT_EQ(futon::select(scene.waiting(), futon::timeout(1ms)).index(), 1U);
    EXPECT_EQ(scene.condition.notify_one(), 0U);
    EXPECT_TRUE(scene.lock.try_lock());
    scene.lock.unlock();
    scene.word = 1;
    EXPECT_EQ(futon::select(scene.waiting(), futon::waiting(futon::Word(scene.word), 0)).index(), 1U)
        << "one that is ready is chosen at once";
    EXPECT_TRUE(scene.lock.try_lock());
}

TEST(ConditionSelect, PassesANotificationOnIfAnotherIsChosenBeforeItHasTheLock) {
    SceneBesideAWord scene;
    std::size_t chosen = 9;
    std::jthread selecting(
        [&] { chosen = futon::select(scene.waiting(), futon::waiting(futon::Word(scene.word), 0)).index(); });
    until_waiting(scene.condition, 1);
    until_waiting(scene.word, 1);
    WaitResult result = WaitResult::timed_out;
    std::jthread behind([&] {
        std::unique_lock hold(scene.lock);
        result = scene.condition.wait(hold);
    });
    until_waiting(scene.condition, 2);
    {
        const std::scoped_lock hold(scene.lock);
        EXPECT_EQ(scene.condition.notify_one(), 1U);
        futon::Word(scene.word).store(1);
        EXPECT_EQ(futon::notify(futon::Word(scene.word)), 1U);
        selecting.join();
        EXPECT_EQ(waiting_at(scene.condition), 0U) << "the waiter behind the select is moved in its place";
    }
    behind.join();
    EXPECT_EQ(chosen, 1U);
    EXPECT_EQ(result, WaitResult::ok);
}

TEST(ConditionSelect, IsAwaited) {
    futon::EventLoop loop;
    SceneBesideAWord scene;
    const auto wait = [&]() -> futon::Promise<std::size_t> {
        AsyncLock::Guard guard = co_await scene.lock.scoped_lock_async();
        auto chosen = co_await futon::select_async(scene.condition.waiting(std::move(guard)), futon::timeout(10s));
        EXPECT_TRUE(std::get<0>(chosen).guard.owns_lock());
        co_return chosen.index();
    };
    auto first = wait();
    auto second = wait();
    EXPECT_EQ(scene.condition.notify_all(), 2U);
    EXPECT_EQ(loop.run_until(std::move(first)), 0U);
    EXPECT_EQ(loop.run_until(std::move(second)), 0U);
    EXPECT_TRUE(scene.lock.try_lock());
}

}  // namespace
