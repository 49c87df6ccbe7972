// SPDX-License-Identifier: MIT
// Mutexes of other libraries, among futon's locks.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <latch>
#include <mutex>
#include <shared_mutex>
#include <sstream>
#include <string>
#include <thread>

#include <futon/futon.hpp>
#include <futon/watched_mutex.hpp>

#include "reports.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using futon::AsyncLock;
using futon::diagnostics::DeadlockFound;
using futon::diagnostics::Watched;
using futon::diagnostics::What;
using futon::test::until;

class WatchedMutex : public futon::test::Reports {
protected:
    static std::string dumped() {
        std::ostringstream out;
        futon::diagnostics::dump(out);
        return out.str();
    }
};

TEST_F(WatchedMutex, IsShownWithItsHolderAndItsWaiters) {
    Watched<std::mutex> cache("the cache");
    cache.lock();
    std::jthread thread([&] { const std::scoped_lock hold(cache); });
    until([&] { return dumped().find("waited for by thread") != std::string::npos; });

    const std::string text = dumped();
    EXPECT_NE(text.find("std::mutex \"the cache\""), std::string::npos) << text;
    EXPECT_NE(text.find("held by thread"), std::string::npos) << text;
    EXPECT_NE(text.find("watched_mutex_test.cpp:"), std::string::npos) << text;
    cache.unlock();
    thread.join();
    EXPECT_EQ(dumped().find("held by"), std::string::npos) << dumped();
}

TEST_F(WatchedMutex, ADeadlockWithAThreadsLockIsThrownByTheWaitThatClosesIt) {
    Watched<std::mutex> cache("the cache");
    AsyncLock accounts;
    std::latch both(2);
    std::atomic<int> thrown{0};
    const auto lock_both = [&](auto& first, auto& second) {
        const std::scoped_lock hold(first);
        both.arrive_and_wait();
        try {
            const std::scoped_lock inner(second);
        } catch (const DeadlockFound&) {
            ++thrown;
        }
    };
    {
        std::jthread thread([&] { lock_both(cache, accounts); });
        std::jthread other([&] { lock_both(accounts, cache); });
    }

    EXPECT_EQ(thrown, 1);
    EXPECT_EQ(count(What::deadlock), 1U) << text();
    EXPECT_NE(text().find("std::mutex \"the cache\""), std::string::npos) << text();
    EXPECT_EQ(text().find("lock_all"), std::string::npos) << text();
    EXPECT_TRUE(cache.try_lock()) << "the wait that threw has left nothing behind";
    cache.unlock();
}

TEST_F(WatchedMutex, ADeadlockWithACoroutineOfTheBlockedLoop) {
    Watched<std::mutex> cache;
    AsyncLock accounts;
    std::latch both(2);
    std::atomic<int> thrown{0};
    std::jthread thread([&] {
        const std::scoped_lock hold(cache);
        both.arrive_and_wait();
        try {
            const std::scoped_lock inner(accounts);
        } catch (const DeadlockFound&) {
            ++thrown;
        }
    });
    futon::EventLoop loop;
    const auto task = [&]() -> futon::Promise<void> {
        const auto guard = co_await accounts.scoped_lock_async();
        both.arrive_and_wait();
        try {
            const std::scoped_lock inner(cache);  // it blocks the loop
        } catch (const DeadlockFound&) {
            ++thrown;
        }
    };
    loop.run_until(task());
    thread.join();

    EXPECT_EQ(thrown, 1) << text();
    EXPECT_EQ(count(What::deadlock), 1U) << text();
}

TEST_F(WatchedMutex, TwoOrdersWithALockAreReported) {
    Watched<std::shared_mutex> table("the table");
    AsyncLock log;
    std::thread([&] {
        const std::scoped_lock hold(table);
        const std::scoped_lock inner(log);
    }).join();
    std::thread([&] {
        const std::scoped_lock hold(log);
        const std::shared_lock inner(table);
    }).join();

    EXPECT_EQ(count(What::order), 1U) << text();
    EXPECT_NE(text().find("What to do: choose one order for all callers."), std::string::npos) << text();
    EXPECT_NE(text().find("std::shared_mutex \"the table\""), std::string::npos) << text();
}

TEST_F(WatchedMutex, ARecursiveOneMayBeLockedAgainAndAPlainOneMayNot) {
    Watched<std::recursive_mutex> twice;
    twice.lock();
    twice.lock();
    EXPECT_TRUE(twice.try_lock());
    for (int i = 0; i < 3; ++i) twice.unlock();
    EXPECT_EQ(reports().size(), 0U) << text();
    EXPECT_EQ(dumped().find("held by"), std::string::npos) << dumped();

    Watched<std::mutex> once;
    once.lock();
    EXPECT_THROW(once.lock(), DeadlockFound);
    once.unlock();
}

TEST_F(WatchedMutex, TriesAndTimeLimitsOrderNothingAndAreNoDeadlock) {
    Watched<std::timed_mutex> mutex;
    mutex.lock();
    std::thread([&] {
        EXPECT_FALSE(mutex.try_lock());
        EXPECT_FALSE(mutex.try_lock_for(1ms));
        EXPECT_FALSE(mutex.try_lock_until(std::chrono::steady_clock::now() + 1ms));
    }).join();
    mutex.unlock();
    EXPECT_TRUE(mutex.try_lock_for(1ms));
    mutex.unlock();
    EXPECT_EQ(reports().size(), 0U) << text();
}

TEST_F(WatchedMutex, MayBeWaitedWith) {
    Watched<std::mutex> mutex;
    std::condition_variable_any changed;
    bool is_set = false;
    std::jthread thread([&] {
        const std::scoped_lock hold(mutex);
        is_set = true;
        changed.notify_one();
    });
    std::unique_lock hold(mutex);
    changed.wait(hold, [&] { return is_set; });

    EXPECT_EQ(reports().size(), 0U) << text();
}

TEST_F(WatchedMutex, IsForgottenWhenItEnds) {
    { Watched<std::mutex> mutex("short"); }

    EXPECT_EQ(dumped().find("short"), std::string::npos) << dumped();
}

}  // namespace
