// SPDX-License-Identifier: MIT
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <futon/core.hpp>
#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/held_lock.hpp"
#include "support/queue_executor.hpp"
#include "support/waiting.hpp"
#include "support/waiting_coroutines.hpp"

namespace {

using namespace std::chrono_literals;
using futon::AsyncLock;
using futon::EventLoop;
using futon::NoExecutor;
using futon::Promise;
using futon::wait_async;
using futon::WaitResult;
using futon::test::lock_counted;
using futon::test::lock_owned;
using futon::test::OwnedCoroutine;
using futon::test::until;
using futon::test::wait_counted;
using futon::test::waiting_at;

class EventLoopClose : public futon::test::HeldLock {
protected:
    std::atomic<int> cell{0};
    int destroyed = 0;
};

TEST_F(EventLoopClose, TakesItsWaitersOutOfTheirQueues) {
    const auto promise = lock_counted(lock, destroyed);
    static_cast<void>(wait_counted(cell, destroyed));

    loop->close();

    EXPECT_TRUE(loop->is_closed());
    EXPECT_EQ(waiting_at(lock), 0u);
    EXPECT_EQ(waiting_at(cell), 0u);
    EXPECT_EQ(futon::notify(cell), 0u);
    EXPECT_EQ(destroyed, 2);
}

TEST_F(EventLoopClose, PassesAWakeThatWasPostedOnToTheNextThread) {
    const auto promise = lock_counted(lock, destroyed);
    std::jthread next = block_thread();
    lock.unlock();

    loop->close();
    next.join();

    EXPECT_EQ(destroyed, 1);
}

TEST_F(EventLoopClose, PassesAStrictHandoffOnToTheNextThread) {
    AsyncLock strict(futon::Fairness::strict);
    strict.try_lock();
    const auto promise = lock_counted(strict, destroyed);
    std::jthread next([&] { const std::scoped_lock hold(strict); });
    futon::test::until_waiting(strict, 2);
    strict.unlock();

    loop->close();
    next.join();

    EXPECT_TRUE(strict.try_lock());
}

TEST_F(EventLoopClose, DropsACompletionThatWasPosted) {
    static_cast<void>(wait_counted(cell, destroyed));
    EXPECT_EQ(futon::notify(cell), 1u);

    loop->close();

    EXPECT_EQ(destroyed, 1);
    EXPECT_FALSE(loop->poll());
}

TEST_F(EventLoopClose, ReleasesWhatWaitingCoroutinesHold) {
    AsyncLock own;
    const auto promise = own.execute_locked([&]() -> Promise<void> { co_await wait_async(cell, 0); });
    EXPECT_FALSE(own.try_lock());

    loop->close();

    EXPECT_TRUE(own.try_lock());
}

TEST_F(EventLoopClose, EndsACoroutineWhosePromiseHasSettled) {
    AsyncLock own;
    auto [settled, source] = futon::make_promise<void>();
    const auto promise = own.execute_locked([&settled = settled]() -> Promise<void> { co_await settled; });
    source.fulfil();
    EXPECT_FALSE(own.try_lock());

    loop->close();

    EXPECT_TRUE(own.try_lock());
}

TEST_F(EventLoopClose, ASecondTimeEndsWhatAwaitedTheCoroutineThatCloses) {
    AsyncLock own;
    auto [begun, source] = futon::make_promise<void>();
    const auto inner = [&, &begun = begun]() -> Promise<void> {
        co_await begun;
        loop->close();
        loop->stop();
    };
    const auto outer = [&]() -> Promise<void> {
        const auto hold = co_await own.scoped_lock_async();
        co_await inner();
    };
    const auto promise = outer();
    loop->post([&source = source] { source.fulfil(); });
    loop->run();
    EXPECT_FALSE(own.try_lock());

    loop->close();

    EXPECT_TRUE(own.try_lock());
}

// A loop that ends first, as the guide says, while its coroutines hold the lock that the workers wait for.
TEST(EventLoopShutdown, LeavesNoLockWithACoroutineThatWasAboutToGoOn) {
    constexpr int rounds = 1'000;
    for (int round = 0; round < rounds; ++round) {
        AsyncLock lock;
        EventLoop window;
        std::atomic<int> acquisitions{0};
        const auto deeper = [&]() -> Promise<int> {
            co_await futon::fulfilled();
            co_return co_await futon::fulfilled(1).then([](int one) { return one; });
        };
        const auto redraw = [&]() -> Promise<void> {
            while (true) {
                const auto hold = co_await lock.scoped_lock_async();
                EXPECT_EQ(co_await deeper(), 1);
                if (acquisitions > round % 8) window.stop();
            }
        };
        std::vector<std::jthread> threads;
        for (int i = 0; i < 2; ++i)
            threads.emplace_back([&](const std::stop_token& stop) {
                do {
                    const std::scoped_lock hold(lock);
                    ++acquisitions;
                } while (!stop.stop_requested());
            });
        static_cast<void>(redraw());
        window.run();

        window.close();
        threads.clear();
        window.run();

        EXPECT_TRUE(lock.try_lock()) << round;
    }
}

TEST_F(EventLoopClose, EndsAForeignCoroutineWithCancelled) {
    std::optional<WaitResult> result;
    const OwnedCoroutine coroutine = lock_owned(lock, result);

    loop->close();

    EXPECT_EQ(result, WaitResult::cancelled);
}

TEST_F(EventLoopClose, RefusesEachKindOfNewWait) {
    loop->close();

    EXPECT_THROW(static_cast<void>(wait_async(cell, 0)), NoExecutor);
    EXPECT_THROW(lock.execute_locked([] {}), NoExecutor);
    EXPECT_THROW(static_cast<void>(futon::make_promise<int>()), NoExecutor);
    EXPECT_THROW(futon::core::promise_of(lock.locking()), NoExecutor);
    EXPECT_THROW(loop->run_until([&]() -> Promise<void> { co_await lock.lock_async(); }()), NoExecutor);
    EXPECT_THROW(loop->run_until([&]() -> Promise<void> { static_cast<void>(co_await lock.scoped_lock_async()); }()),
                 NoExecutor);
    EXPECT_THROW(loop->run_until([&]() -> Promise<void> {
        auto chosen = co_await futon::select_async(lock.locking(), futon::timeout(1s));
    }()),
                 NoExecutor);
    EXPECT_EQ(waiting_at(lock), 0u);
}

TEST_F(EventLoopClose, RefusesAlsoAFreeLock) {
    lock.unlock();
    loop->close();

    EXPECT_THROW(lock.execute_locked([] {}), NoExecutor);
    EXPECT_THROW(loop->run_until([&]() -> Promise<void> { co_await lock.lock_async(); }()), NoExecutor);

    EXPECT_TRUE(lock.try_lock());
}

TEST_F(EventLoopClose, SaysSoWhenItRefuses) {
    loop->close();

    try {
        static_cast<void>(wait_async(cell, 0));
        FAIL() << "it waits";
    } catch (const NoExecutor& error) {
        EXPECT_NE(std::string(error.what()).find("closed"), std::string::npos);
    }
}

TEST_F(EventLoopClose, GoesOnTakingPosts) {
    std::string order;
    loop->post([&] { order += 'a'; });
    loop->close();
    std::jthread([&] { loop->post([&] { order += 'b'; }); }).join();
    loop->post_after(0s, [&] { order += 't'; });
    loop->post([&]() -> Promise<void> {
        order += 'c';
        co_return;
    });

    loop->run();

    EXPECT_EQ(order.size(), 4u);
    EXPECT_LT(order.find('a'), order.find('b'));
    EXPECT_LT(order.find('b'), order.find('c'));
}

TEST_F(EventLoopClose, LetsRunReturnOnceNothingIsPosted) {
    static_cast<void>(wait_counted(cell, destroyed));
    loop->post([&] { loop->close(); });

    loop->run();

    EXPECT_EQ(destroyed, 1);
}

TEST_F(EventLoopClose, ByACoroutineLeavesItAndItsCapturesAlive) {
    auto value = std::make_shared<int>(7);
    const std::weak_ptr<int> watched = value;
    bool was_alive = false;
    bool was_refused = false;
    auto [begun, source] = futon::make_promise<void>();
    loop->post([this, &begun = begun, &was_alive, &was_refused, value = std::move(value)]() -> Promise<void> {
        co_await begun;  // what keeps the captures waits for this coroutine by now
        loop->close();
        was_alive = *value == 7;
        try {
            co_await wait_async(cell, 0);
        } catch (const NoExecutor&) {
            was_refused = *value == 7;
        }
    });
    loop->post([&source = source] { source.fulfil(); });

    loop->run();

    EXPECT_TRUE(was_alive);
    EXPECT_TRUE(was_refused);
    EXPECT_TRUE(watched.expired());
}

TEST_F(EventLoopClose, ByACoroutineThatIsAwaitedLetsTheOuterOneGoOn) {
    auto [begun, source] = futon::make_promise<void>();
    const auto inner = [&, &begun = begun]() -> Promise<int> {
        co_await begun;
        loop->close();
        co_return 1;
    };
    loop->post([&source = source] { source.fulfil(); });
    const auto outer = [&]() -> Promise<int> { co_return 1 + co_await inner(); };

    EXPECT_EQ(loop->run_until(outer()), 2);
}

TEST_F(EventLoopClose, EndsARunUntilWhosePromiseWillNeverSettle) {
    loop->post([&] { loop->close(); });

    EXPECT_THROW(loop->run_until(wait_counted(cell, destroyed)), std::logic_error);

    EXPECT_EQ(destroyed, 1);
}

TEST_F(EventLoopClose, OfAnInnerLoopLeavesTheOuterOneOpen) {
    const auto promise = lock_counted(lock, destroyed);
    {
        EventLoop inner;
        static_cast<void>(wait_counted(cell, destroyed));
        inner.close();
        EXPECT_THROW(static_cast<void>(wait_async(cell, 0)), NoExecutor);
        EXPECT_EQ(destroyed, 1);
    }

    EXPECT_EQ(waiting_at(lock), 1u);
    EXPECT_FALSE(loop->is_closed());
    EXPECT_NO_THROW(static_cast<void>(wait_counted(cell, destroyed)));
}

TEST_F(EventLoopClose, OfAnOuterLoopWhileAnInnerOneIsCurrent) {
    const auto promise = lock_counted(lock, destroyed);
    EventLoop inner;

    loop->close();

    EXPECT_EQ(destroyed, 1);
    EXPECT_NO_THROW(static_cast<void>(wait_async(cell, 0)));
}

TEST_F(EventLoopClose, DoesNothingTheSecondTimeAlsoFromWhatItDestroys) {
    struct ClosesAgain {
        EventLoop& loop;
        ~ClosesAgain() { loop.close(); }
    };
    const auto wait = [&]() -> Promise<void> {
        const ClosesAgain local{*loop};
        co_await wait_async(cell, 0);
    };
    const auto first = wait();
    const auto second = wait_counted(cell, destroyed);

    loop->close();
    loop->close();

    EXPECT_EQ(destroyed, 1);
    EXPECT_EQ(waiting_at(cell), 0u);
}

TEST_F(EventLoopClose, BelongsToTheLoopsThread) {
    std::jthread([&] { EXPECT_THROW(loop->close(), std::logic_error); }).join();

    EXPECT_FALSE(loop->is_closed());
}

TEST_F(EventLoopClose, WhileOtherThreadsNotifyAndUnlockLosesNoWake) {
    constexpr int rounds = 300;
    lock.unlock();
    std::atomic<bool> is_over{false};
    std::atomic<int> locked{0};
    std::jthread notifier([&] {
        while (!is_over) futon::notify(cell, 2);
    });
    std::jthread locker([&] {
        while (!is_over) {
            const std::scoped_lock hold(lock);
            ++locked;
        }
    });

    for (int round = 0; round < rounds; ++round) {
        loop.emplace();
        for (int i = 0; i < 4; ++i) static_cast<void>(wait_counted(cell, destroyed));
        for (int i = 0; i < 4; ++i) static_cast<void>(lock_counted(lock, destroyed));
        loop->poll();
        loop->close();
        loop->run();  // continuations of promises that had settled before
        EXPECT_EQ(destroyed, 8 * (round + 1));
        const int before = locked;
        until([&] { return locked > before; });  // the lock is not left with the loop
    }
    is_over = true;
}

TEST(AgentClose, OnAnExecutorThatCannotRetractPassesTheLockOnWithTheJob) {
    futon::test::QueueExecutor executor;
    const futon::Agent agent(executor);
    AsyncLock lock;
    lock.try_lock();
    int destroyed = 0;
    const auto promise = lock_counted(lock, destroyed);
    lock.unlock();

    futon::Agent::current().close();
    EXPECT_THROW(lock.execute_locked([] {}), NoExecutor);
    executor.run_all();

    EXPECT_EQ(destroyed, 1);
    EXPECT_TRUE(lock.try_lock());
}

TEST(AgentClose, BelongsToTheAgentsThread) {
    futon::Agent agent(futon::CanBlock::no);

    std::jthread([&] { EXPECT_THROW(agent.close(), std::logic_error); }).join();

    agent.close();
    EXPECT_TRUE(agent.is_closed());
}

}  // namespace
