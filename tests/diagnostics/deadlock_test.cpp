// SPDX-License-Identifier: MIT
#include <atomic>
#include <chrono>
#include <latch>
#include <mutex>
#include <thread>

#include <futon/diagnostics.hpp>
#include <futon/futon.hpp>
#include <futon/select.hpp>

#include "reports.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using futon::AsyncLock;
using futon::EventLoop;
using futon::Promise;
using futon::SharedLock;
using futon::diagnostics::DeadlockFound;
using futon::diagnostics::What;
using futon::test::until_waiting;

using DeadlockReports = futon::test::Reports;

TEST_F(DeadlockReports, OneThreadThatLocksTwice) {
    AsyncLock lock;
    futon::name(lock, "ledger");
    lock.lock();

    EXPECT_THROW(lock.lock(), DeadlockFound);

    EXPECT_NE(text().find("a caller waits for what it holds itself"), std::string::npos) << text();
    EXPECT_NE(text().find("AsyncLock \"ledger\""), std::string::npos) << text();
    EXPECT_NE(text().find("deadlock_test.cpp:"), std::string::npos) << text();
    lock.unlock();
    EXPECT_TRUE(lock.try_lock()) << "the wait that threw has left nothing behind";
    lock.unlock();
}

TEST_F(DeadlockReports, TwoThreads) {
    AsyncLock first, second;
    std::latch both(2);
    std::atomic<int> thrown{0};
    const auto lock_both = [&](AsyncLock& one, AsyncLock& other) {
        const std::scoped_lock hold(one);
        both.arrive_and_wait();
        try {
            const std::scoped_lock inner(other);
        } catch (const DeadlockFound&) {
            ++thrown;
        }
    };
    {
        std::jthread thread([&] { lock_both(first, second); });
        std::jthread other([&] { lock_both(second, first); });
    }

    EXPECT_EQ(thrown, 1);
    EXPECT_EQ(count(What::deadlock), 1U);
    EXPECT_NE(text().find("a deadlock of 2 callers"), std::string::npos) << text();
    EXPECT_NE(text().find("or lock together with futon::lock_all."), std::string::npos) << text();
}

TEST_F(DeadlockReports, AdviseLockAllForAsyncLocksAlone) {
    AsyncLock first;
    SharedLock second;
    std::latch both(2);
    const auto lock_both = [&](auto& one, auto& other) {
        const std::scoped_lock hold(one);
        both.arrive_and_wait();
        try {
            const std::scoped_lock inner(other);
        } catch (const DeadlockFound&) {
        }
    };
    {
        std::jthread thread([&] { lock_both(first, second); });
        std::jthread other([&] { lock_both(second, first); });
    }

    EXPECT_EQ(count(What::deadlock), 1U) << text();
    EXPECT_NE(text().find("What to do: let all callers acquire them in one order."), std::string::npos) << text();
    EXPECT_EQ(text().find("lock_all"), std::string::npos) << text();
}

TEST_F(DeadlockReports, NoneWhereADeadlineEndsTheWait) {
    AsyncLock first, second;
    std::latch both(2);
    std::atomic<int> timed_out{0};
    const auto lock_both = [&](AsyncLock& one, AsyncLock& other) {
        const std::scoped_lock hold(one);
        both.arrive_and_wait();
        if (other.try_lock_for(20ms))
            other.unlock();
        else
            ++timed_out;
    };
    {
        std::jthread thread([&] { lock_both(first, second); });
        std::jthread other([&] { lock_both(second, first); });
    }

    EXPECT_GE(timed_out, 1);
    EXPECT_EQ(count(What::deadlock), 0U) << text();
}

TEST_F(DeadlockReports, NoneOfAWaitForOnesOwnLockThatADeadlineEnds) {
    AsyncLock lock;
    lock.lock();

    EXPECT_FALSE(lock.try_lock_for(1ms));

    EXPECT_EQ(count(What::deadlock), 0U) << text();
    lock.unlock();
}

TEST_F(DeadlockReports, AReaderThatWantsToWrite) {
    SharedLock lock;
    lock.lock_shared();

    EXPECT_THROW(lock.lock(), DeadlockFound);

    lock.unlock_shared();
}

TEST_F(DeadlockReports, TwoCoroutinesOfOneLoop) {
    EventLoop loop;
    AsyncLock first, second;
    int thrown = 0;
    const auto lock_both = [&](AsyncLock& one, AsyncLock& other) -> Promise<void> {
        const AsyncLock::Guard hold = co_await one.scoped_lock_async();
        co_await futon::sleep_for(0ms);
        try {
            const AsyncLock::Guard inner = co_await other.scoped_lock_async();
        } catch (const DeadlockFound&) {
            ++thrown;
        }
    };

    const Promise<void> one = lock_both(first, second);
    const Promise<void> other = lock_both(second, first);
    loop.run();

    EXPECT_EQ(thrown, 1);
    EXPECT_NE(text().find("coroutine"), std::string::npos) << text();
}

TEST_F(DeadlockReports, AThreadAndACoroutine) {
    EventLoop loop;
    AsyncLock of_thread, of_coroutine;
    std::atomic<int> thrown{0};
    std::latch both(2);
    std::jthread thread([&] {
        const std::scoped_lock hold(of_thread);
        both.arrive_and_wait();
        try {
            const std::scoped_lock inner(of_coroutine);
        } catch (const DeadlockFound&) {
            ++thrown;
        }
    });
    const auto lock_both = [&]() -> Promise<void> {
        const AsyncLock::Guard hold = co_await of_coroutine.scoped_lock_async();
        both.arrive_and_wait();
        try {
            const AsyncLock::Guard inner = co_await of_thread.scoped_lock_async();
        } catch (const DeadlockFound&) {
            ++thrown;
        }
    };
    const Promise<void> promise = lock_both();
    loop.run();
    thread.join();

    EXPECT_EQ(thrown, 1);
    EXPECT_EQ(count(What::deadlock), 1U) << text();
}

TEST_F(DeadlockReports, ALoopThatBlocksForWhatItsCoroutineHolds) {
    EventLoop loop(futon::CanBlock::yes);
    AsyncLock lock;
    bool has_thrown = false;
    const auto hold_it = [&]() -> Promise<void> {
        const AsyncLock::Guard hold = co_await lock.scoped_lock_async();
        co_await futon::sleep_for(0ms);
    };
    const Promise<void> promise = hold_it();
    try {
        lock.lock();
    } catch (const DeadlockFound&) {
        has_thrown = true;
    }
    loop.run();

    EXPECT_TRUE(has_thrown);
    EXPECT_EQ(count(What::deadlock), 1U) << text();
    EXPECT_NE(text().find("a thread waits for a coroutine of its own loop"), std::string::npos) << text();
    EXPECT_NE(text().find("which cannot go on while thread"), std::string::npos) << text();
    EXPECT_NE(text().find("but await it in a coroutine."), std::string::npos) << text();
    EXPECT_EQ(text().find("What to do: release"), std::string::npos) << "not the way through what the coroutine awaits";
}

TEST_F(DeadlockReports, ASelectOfWhichAllArmsAreStuck) {
    AsyncLock first, second, held;
    std::atomic<int> thrown{0};
    std::latch both(2);
    std::jthread thread([&] {
        const std::scoped_lock hold(first, second);
        both.arrive_and_wait();
        try {
            const std::scoped_lock inner(held);
        } catch (const DeadlockFound&) {
            ++thrown;
        }
    });
    {
        const std::scoped_lock hold(held);
        both.arrive_and_wait();
        try {
            static_cast<void>(futon::select(first.locking(), second.locking()));
        } catch (const DeadlockFound&) {
            ++thrown;
        }
    }
    thread.join();

    EXPECT_EQ(thrown, 1);
}

TEST_F(DeadlockReports, NoneIfOneArmOfASelectMayGoOn) {
    AsyncLock first, held;
    futon::Event event;
    std::latch both(2);
    std::jthread thread([&] {
        const std::scoped_lock hold(first);
        both.arrive_and_wait();
        const std::scoped_lock inner(held);
    });
    {
        const std::scoped_lock hold(held);
        both.arrive_and_wait();
        until_waiting(held, 1);
        std::jthread setter([&] {
            until_waiting(event, 1);
            event.set();
        });
        static_cast<void>(futon::select(first.locking(), event.waiting()));
    }
    thread.join();

    EXPECT_EQ(count(What::deadlock), 0U) << text();
}

TEST_F(DeadlockReports, NoneOfALockThatIsPassedOn) {
    AsyncLock lock;
    lock.lock();
    std::jthread([&] { lock.unlock(); }).join();

    lock.lock();
    std::jthread thread([&] {
        until_waiting(lock, 1);
        lock.unlock();
    });
    lock.lock();  // for another thread unlocks it
    thread.join();

    EXPECT_EQ(count(What::deadlock), 0U) << text();
    lock.unlock();
}

/// Two coroutines read, and one of them has released: the other may be the one that holds, or the one that waits.
TEST_F(DeadlockReports, NoneOfReadersThatAreNotToldApart) {
    EventLoop loop;
    SharedLock lock;
    futon::Event other_may_end;
    bool has_written = false;
    const auto read = [&]() -> Promise<void> {
        const auto guard = co_await lock.scoped_lock_shared_async();
        co_await other_may_end.wait_async();
    };
    const auto read_and_write = [&]() -> Promise<void> {
        { const auto guard = co_await lock.scoped_lock_shared_async(); }
        const auto guard = co_await lock.scoped_lock_async();
        has_written = true;
    };
    const Promise<void> reader = read();
    const Promise<void> writer = read_and_write();
    EXPECT_EQ(count(What::deadlock), 0U) << text();
    other_may_end.set();
    loop.run();

    EXPECT_TRUE(has_written);
    EXPECT_EQ(count(What::deadlock), 0U) << text();
}

}  // namespace
