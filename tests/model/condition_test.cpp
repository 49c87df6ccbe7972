// SPDX-License-Identifier: MIT
// A condition loses no notification, and gives none to a waiter that came after it.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <stop_token>
#include <system_error>
#include <variant>

#include <futon/futon.hpp>

#include "explore.hpp"
#include "support/coroutines.hpp"

namespace {

using namespace std::chrono_literals;
using futon::AsyncLock;
using futon::Condition;
using futon::Deadline;
using futon::WaitResult;
using futon::explorer::check;
using futon::explorer::spawn;
using futon::test::expect_holds;

/// A condition, its lock, and what notifications and waits came to.
struct ConditionScene {
    AsyncLock lock;
    Condition condition;
    std::size_t notified = 0;  // this and all below under the lock
    std::size_t ok = 0;
    int began = 0;
    int latest = 0;  // how many had begun when a notification was made
    bool is_set = false;
    int inside = 0;

    explicit ConditionScene(futon::Fairness fairness = futon::Fairness::bounded) : lock(fairness) {}

    void count(WaitResult result, int number) {
        check(++inside == 1, "the lock is owned after a wait");
        if (result == WaitResult::ok) {
            ++ok;
            check(number <= latest, "no waiter is notified by what came before it");
        }
        --inside;
    }
    void wait(const futon::Limits& limits = {}) {
        std::unique_lock hold(lock);
        const int number = ++began;
        count(condition.wait(hold, limits), number);
    }
    void wait_until_set(Deadline deadline = Deadline::never()) {
        std::unique_lock hold(lock);
        if (condition.wait(
                hold, [this] { return is_set; }, deadline))
            check(is_set, "the predicate holds");
        check(++inside == 1, "the lock is owned after a wait");
        --inside;
    }
    void notify_one() {
        const std::scoped_lock hold(lock);
        latest = began;
        notified += condition.notify_one();
    }
    void notify_all() {
        const std::scoped_lock hold(lock);
        latest = began;
        notified += condition.notify_all();
    }
    void check_idle() {
        check(lock.try_lock(), "the lock is free in the end");
        check(futon::core::process_table().count(&condition) == 0, "no waiter is left in the condition's queue");
        check(futon::core::process_table().count(&lock) == 0, "no waiter is left in the lock's queue");
        std::uint32_t word = 0;
        std::memcpy(&word, &condition, sizeof word);
        check(word == 0, "the word of a condition without waiters is zero");
    }
    void check_all_accounted() {
        check(notified == ok, "the sum of notify's results is the number of ok");
        check_idle();
    }
};

TEST(ModelCondition, NotifyOneIsNeitherStolenNorOfAnEarlierGeneration) {
    expect_holds("two waiters, notify_one, a new waiter", {.preemptions = 2}, [] {
        ConditionScene scene;
        for (int i = 0; i < 2; ++i) spawn("waiter", [&] { scene.wait(Deadline(10ms)); });
        spawn("notifier", [&] {
            scene.notify_one();
            scene.wait(Deadline(10ms));
        });
        futon::explorer::join();
        scene.check_all_accounted();
    });
}

TEST(ModelCondition, NotifyOneIsNotLostToAWaiterThatTimesOut) {
    expect_holds("two consumers, one with a deadline, two producers", {.preemptions = 2}, [] {
        ConditionScene scene;
        int items = 0;
        int left = 2;
        const auto consume = [&](Deadline deadline) {
            std::unique_lock hold(scene.lock);
            if (!scene.condition.wait(
                    hold, [&] { return items > 0; }, deadline))
                return;
            --items;
            --left;
        };
        const auto produce = [&] {
            const std::scoped_lock hold(scene.lock);
            ++items;
            scene.condition.notify_one();
        };
        spawn("impatient", [&] { consume(Deadline(1ms)); });
        spawn("consumer", [&] { consume(Deadline::never()); });
        for (int i = 0; i < 2; ++i) spawn("producer", produce);
        futon::explorer::join();
        check(items == left, "each item is consumed once");
        scene.check_idle();
    });
}

void all_with_the_lock_held(futon::Fairness fairness) {
    expect_holds("two waiters, one with a deadline, notify_all with the lock held", {.preemptions = 2}, [fairness] {
        ConditionScene scene(fairness);
        spawn("waiter", [&] { scene.wait_until_set(); });
        spawn("impatient", [&] { scene.wait_until_set(Deadline(1ms)); });
        spawn("notifier", [&] {
            const std::scoped_lock hold(scene.lock);
            scene.is_set = true;
            scene.condition.notify_all();
        });
        futon::explorer::join();
        scene.check_idle();
    });
}

TEST(ModelCondition, NotifyAllWithTheLockHeldIsNotLost) {
    all_with_the_lock_held(futon::Fairness::bounded);
    all_with_the_lock_held(futon::Fairness::strict);
}

TEST(ModelCondition, NotifyAllWithTheLockFreeIsNotLost) {
    for (const auto fairness : {futon::Fairness::bounded, futon::Fairness::strict})
        expect_holds("two waiters, a passer-by, notify_all with the lock free", {.preemptions = 2}, [fairness] {
            ConditionScene scene(fairness);
            for (int i = 0; i < 2; ++i) spawn("waiter", [&] { scene.wait_until_set(); });
            spawn("notifier", [&] {
                {
                    const std::scoped_lock hold(scene.lock);
                    scene.is_set = true;
                }
                scene.condition.notify_all();
            });
            spawn("passer-by", [&] { const std::scoped_lock hold(scene.lock); });
            futon::explorer::join();
            scene.check_idle();
        });
}

TEST(ModelCondition, EachOfTwoNotifiersWithTheLockFreeIsCounted) {
    expect_holds("two waiters, two notifiers with the lock free", {.preemptions = 2}, [] {
        ConditionScene scene;
        scene.latest = 2;
        std::size_t notified = 0;
        for (int i = 0; i < 2; ++i) spawn("waiter", [&] { scene.wait(Deadline(10ms)); });
        spawn("notifier of one", [&] { notified += scene.condition.notify_one(); });
        spawn("notifier of all", [&] { notified += scene.condition.notify_all(); });
        futon::explorer::join();
        scene.notified = notified;
        scene.check_all_accounted();
    });
}

TEST(ModelCondition, IsNotLostOnAWeakMemory) {
    expect_holds("a waiter, notify_one with the lock free, weak", {.preemptions = 2, .stale_loads = 2}, [] {
        ConditionScene scene;
        spawn("waiter", [&] { scene.wait_until_set(); });
        spawn("notifier", [&] {
            {
                const std::scoped_lock hold(scene.lock);
                scene.is_set = true;
            }
            scene.condition.notify_one();
        });
        futon::explorer::join();
        scene.check_idle();
    });
}

TEST(ModelCondition, AStopAndADeadlineAgainstANotification) {
    expect_holds("a waiter with a stop, one with a deadline, notify_one", {.preemptions = 2}, [] {
        ConditionScene scene;
        std::stop_source source;
        spawn("stopped", [&] { scene.wait(source.get_token()); });
        spawn("impatient", [&] { scene.wait(Deadline(1ms)); });
        spawn("stopper", [&] { source.request_stop(); });
        spawn("notifier", [&] { scene.notify_one(); });
        futon::explorer::join();
        scene.check_all_accounted();
    });
}

TEST(ModelCondition, ACoroutineThatIsDestroyedPassesItsNotificationOn) {
    for (const bool all : {false, true})
        expect_holds("a coroutine that is destroyed, a waiter, a notifier", {.preemptions = 2}, [all] {
            ConditionScene scene;
            bool is_resumed = false;
            bool is_queued = false;
            const auto await = [&]() -> futon::test::OwnedCoroutine {
                AsyncLock::Guard guard = co_await scene.lock.scoped_lock_async();
                is_queued = true;
                (void)co_await scene.condition.wait_async(guard);
                is_resumed = true;
            };
            spawn("loop", [&] {
                futon::EventLoop loop;
                auto coroutine = await();
                loop.poll();
                coroutine.destroy();
            });
            spawn("waiter", [&] { scene.wait(Deadline(10ms)); });
            spawn("notifier", [&] {
                scene.latest = 2;
                const std::scoped_lock hold(scene.lock);
                scene.notified += all ? scene.condition.notify_all() : scene.condition.notify_one();
            });
            futon::explorer::join();
            if (is_resumed) ++scene.ok;
            if (!is_queued) check(scene.notified == scene.ok, "what was notified has ended");
            check(scene.ok <= scene.notified, "no wait ends without a notification");
            scene.check_idle();
        });
}

TEST(ModelCondition, AWaiterBehindACoroutineThatIsDestroyedIsNotified) {
    expect_holds("a coroutine that is destroyed after it was moved, a waiter behind it", {.preemptions = 2}, [] {
        ConditionScene scene;
        int is_moved = 0;
        futon::EventLoop loop(futon::CanBlock::yes);
        const auto await = [&]() -> futon::test::OwnedCoroutine {
            AsyncLock::Guard guard = co_await scene.lock.scoped_lock_async();
            (void)co_await scene.condition.wait_async(guard);
            check(false, "it is destroyed");
        };
        auto coroutine = await();
        spawn("waiter", [&] {
            {
                std::unique_lock hold(scene.lock);
                spawn("notifier", [&] {
                    {
                        const std::scoped_lock hold_it(scene.lock);  // the waiter is queued then
                        check(scene.condition.notify_one() == 1, "the coroutine is notified");
                    }
                    futon::Word(is_moved).store(1);
                    futon::notify(futon::Word(is_moved));
                });
                check(scene.condition.wait(hold) == WaitResult::ok, "it is notified in its place");
            }
        });
        futon::wait(futon::Word(is_moved), 0);
        coroutine.destroy();
        futon::explorer::join();
        scene.check_idle();
    });
}

TEST(ModelCondition, ASelectOfAConditionAndAWordLosesNothing) {
    expect_holds("a select of a condition and a word, a waiter, two notifiers", {.preemptions = 2}, [] {
        ConditionScene scene;
        int word = 0;
        bool is_condition = false;
        scene.latest = 2;  // what the select passes on is a notification of that time
        spawn("select", [&] {
            auto chosen = futon::select(scene.condition.waiting(futon::block(scene.lock.locking())),
                                        futon::waiting(futon::Word(word), 0));
            if (chosen.index() != 0) return;
            is_condition = true;
            auto& wakeup = std::get<0>(chosen);
            check(wakeup.guard.owns_lock(), "the lock is owned if the condition was chosen");
            scene.count(wakeup.result, 0);
        });
        spawn("waiter", [&] { scene.wait(Deadline(10ms)); });
        spawn("notifier", [&] {
            const std::scoped_lock hold(scene.lock);
            scene.notified += scene.condition.notify_one();
        });
        spawn("changer", [&] {
            futon::Word(word).store(1);
            futon::notify(futon::Word(word));
        });
        futon::explorer::join();
        check(scene.ok <= scene.notified, "no wait ends without a notification");
        scene.check_idle();
    });
}

TEST(ModelCondition, APromiseOfAWaitAndAThreadShareTheQueue) {
    expect_holds("a loop, a thread, notify_all", {.preemptions = 2}, [] {
        ConditionScene scene;
        spawn("loop", [&] {
            futon::EventLoop loop;
            const auto await = [&]() -> futon::Promise<void> {
                AsyncLock::Guard guard = co_await scene.lock.scoped_lock_async();
                check(co_await scene.condition.wait_async(guard, [&] { return scene.is_set; }), "it holds");
                check(guard.owns_lock(), "the lock is owned after a wait");
            };
            loop.run_until(await());
        });
        spawn("waiter", [&] { scene.wait_until_set(); });
        spawn("notifier", [&] {
            const std::scoped_lock hold(scene.lock);
            scene.is_set = true;
            scene.condition.notify_all();
        });
        futon::explorer::join();
        scene.check_idle();
    });
}

/// In the model a part is two: the lock may be released, and taken by what was moved first, before the second is moved.
TEST(ModelCondition, NotifyAllOfVeryManyMovesThemInParts) {
    expect_holds("three tasks, an owner that unlocks, notify_all without the lock", {.preemptions = 3}, [] {
        ConditionScene scene;
        futon::EventLoop loop;
        const auto wait = [&]() -> futon::Promise<void> {
            AsyncLock::Guard guard = co_await scene.lock.scoped_lock_async();
            ++scene.began;
            if (co_await scene.condition.wait_async(guard) == WaitResult::ok) ++scene.ok;
            check(guard.owns_lock(), "the lock is owned after a wait");
        };
        futon::Promise<void> waits[] = {wait(), wait(), wait()};
        check(scene.began == 3 && scene.lock.try_lock(), "all of them wait");
        spawn("owner", [&] { scene.lock.unlock(); });
        spawn("notifier", [&] { scene.notified = scene.condition.notify_all(); });
        for (auto& one : waits) loop.run_until(std::move(one));
        futon::explorer::join();
        check(scene.notified == 3 && scene.ok == 3, "all that waited are notified");
        scene.check_idle();
    });
}

TEST(ModelCondition, AWaitThatIsRefusedKeepsItsLock) {
    expect_holds("two waiters with different locks", {.preemptions = 2}, [] {
        ConditionScene scene;
        AsyncLock other;
        const auto wait = [&](AsyncLock& lock) {
            std::unique_lock hold(lock);
            try {
                check(scene.condition.wait(hold, 10ms) == WaitResult::timed_out, "no notification was made");
            } catch (const std::system_error& error) {
                check(error.code() == std::errc::invalid_argument, "it is refused for its lock");
            }
            check(hold.owns_lock() && !lock.try_lock(), "the lock is owned after a wait, and after a refusal");
        };
        spawn("waiter", [&] { wait(scene.lock); });
        spawn("waiter with another lock", [&] { wait(other); });
        futon::explorer::join();
        check(other.try_lock(), "the other lock is free in the end");
        scene.check_idle();
    });
}

TEST(ModelCondition, AWaiterIsServedThoughTheLockIsOfferedToALoopThatDoesNotRun) {
    expect_holds("a waiter that is notified while the lock is offered", {.preemptions = 2}, [] {
        futon::EventLoop loop(futon::CanBlock::yes);
        ConditionScene scene(futon::Fairness::strict);
        futon::Event waits;
        bool has_run = false;
        spawn("waiter", [&] {
            std::unique_lock hold(scene.lock);
            waits.set();
            scene.condition.wait(hold, [&] { return scene.is_set; });
        });
        waits.wait();
        scene.lock.lock();
        scene.is_set = true;
        const auto function = scene.lock.execute_locked([&] { has_run = true; });
        scene.lock.unlock();  // offered to the function of this loop, which runs when the waiter has ended
        scene.condition.notify_one();
        futon::explorer::join();
        loop.run();
        check(has_run, "the function runs then");
        scene.check_idle();
    });
}

}  // namespace
