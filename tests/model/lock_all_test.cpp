// SPDX-License-Identifier: MIT
// Several locks at once: no deadlock, all or none.
#include <array>

#include <futon/futon.hpp>

#include "explore.hpp"

namespace {

using namespace std::chrono_literals;
using futon::AsyncLock;
using futon::explorer::check;
using futon::explorer::spawn;
using futon::test::expect_holds;

/// Two locks, and what they guard together.
struct TwoLocks {
    void enter() {
        check(inside++ == 0, "one at a time");
        futon::explorer::point("inside", this);
        --inside;
        ++entered;
    }

    void finish(int expected) {
        futon::explorer::join();
        check(entered == expected, "each has entered");
        for (AsyncLock& lock : locks) {
            check(lock.try_lock(), "each lock is free in the end");
            check(futon::core::process_table().count(&lock) == 0, "no waiter is queued");
        }
    }

    std::array<AsyncLock, 2> locks;
    AsyncLock& a = locks[0];
    AsyncLock& b = locks[1];
    int inside = 0;
    int entered = 0;
};

TEST(ModelLockAll, ThreadsThatNameTheLocksInDifferentOrdersDoNotDeadlock) {
    expect_holds("two locks, two threads", {.preemptions = 3}, [] {
        TwoLocks scene;
        spawn("a, b", [&] {
            const auto guard = futon::lock_all(scene.a, scene.b);
            scene.enter();
        });
        spawn("b, a", [&] {
            const auto guard = futon::lock_all(scene.b, scene.a);
            scene.enter();
        });
        scene.finish(2);
    });
}

TEST(ModelLockAll, AThreadAndATaskThatNameTheLocksInDifferentOrdersDoNotDeadlock) {
    expect_holds("two locks, a thread, a loop", {.preemptions = 2}, [] {
        TwoLocks scene;
        spawn("thread", [&] {
            const auto guard = futon::lock_all(scene.a, scene.b);
            scene.enter();
        });
        spawn("loop", [&] {
            futon::EventLoop loop;
            auto task = [&]() -> futon::Promise<void> {
                const auto guard = co_await futon::lock_all_async(scene.b, scene.a);
                scene.enter();
            };
            loop.run_until(task());
        });
        scene.finish(2);
    });
}

TEST(ModelLockAll, NoneIsHeldWhereTheDeadlineComesFirst) {
    expect_holds("two locks, a thread and a task with deadlines, an owner", {.preemptions = 2}, [] {
        TwoLocks scene;
        int expected = 1;
        spawn("owner", [&] {
            const std::scoped_lock hold(scene.b);
            scene.enter();
        });
        spawn("thread", [&] {
            const auto guard = futon::lock_all(1us, scene.a, scene.b);
            if (!guard) return;
            scene.enter();
            ++expected;
        });
        spawn("loop", [&] {
            futon::EventLoop loop;
            auto task = [&]() -> futon::Promise<void> {
                const auto guard = co_await futon::lock_all_async(1us, scene.b, scene.a);
                if (!guard) co_return;
                scene.enter();
                ++expected;
            };
            loop.run_until(task());
        });
        futon::explorer::join();
        scene.finish(expected);
    });
}

TEST(ModelLockAll, ATaskThatEndsWithItsLoopHoldsNone) {
    expect_holds("two locks, a task whose loop ends, a thread", {.preemptions = 2}, [] {
        TwoLocks scene;
        int expected = 1;
        spawn("loop", [&] {
            futon::EventLoop loop;
            auto task = [&]() -> futon::Promise<void> {
                const auto guard = co_await futon::lock_all_async(scene.b, scene.a);
                scene.enter();
                ++expected;
            };
            const auto promise = task();
            loop.poll();
        });
        spawn("thread", [&] {
            const auto guard = futon::lock_all(scene.a, scene.b);
            scene.enter();
        });
        futon::explorer::join();
        scene.finish(expected);
    });
}

}  // namespace
