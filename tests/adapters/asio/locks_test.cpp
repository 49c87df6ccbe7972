// SPDX-License-Identifier: MIT
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <futon/asio.hpp>
#include <futon/futon.hpp>

#include "adapters/asio/asio_handlers.hpp"
#include "support/gtest.hpp"
#include "support/waiting.hpp"

namespace {

using futon::AsyncLock;
using futon::WaitResult;
using futon::asio::async_lock;
using futon::asio::error_code;
using futon::test::OnLock;
using futon::test::waiting_at;
namespace net = futon::asio::net;

TEST(AsioLock, FreeLockCompletesLaterAndOnce) {
    net::io_context context;
    AsyncLock lock;
    int calls = 0;
    async_lock(lock, net::bind_executor(context.get_executor(), OnLock([&](error_code error, AsyncLock::Guard guard) {
                                            EXPECT_FALSE(error);
                                            EXPECT_TRUE(guard.owns_lock());
                                            ++calls;
                                        })));
    EXPECT_EQ(calls, 0);
    EXPECT_FALSE(lock.try_lock());
    context.run();
    EXPECT_EQ(calls, 1);
    EXPECT_TRUE(lock.try_lock());
    lock.unlock();
}

TEST(AsioLock, HeldLockKeepsContextRunningUntilAThreadUnlocks) {
    net::io_context context;
    AsyncLock lock;
    lock.lock();
    bool is_called = false;
    futon::asio::async(context, lock.locking(), OnLock([&](error_code error, AsyncLock::Guard guard) {
                           EXPECT_FALSE(error);
                           EXPECT_TRUE(guard.owns_lock());
                           is_called = true;
                       }));
    EXPECT_EQ(context.poll(), 0u);
    EXPECT_FALSE(context.stopped());
    std::thread unlocker([&] { lock.unlock(); });
    context.run();
    unlocker.join();
    EXPECT_TRUE(is_called);
    EXPECT_TRUE(lock.try_lock());
    lock.unlock();
}

TEST(AsioLock, ContextThatEndsLeavesTheQueue) {
    AsyncLock lock;
    lock.lock();
    {
        net::io_context context;
        auto token = std::make_shared<int>(1);
        futon::asio::async(context, lock.locking(), OnLock([token](error_code, AsyncLock::Guard) { FAIL(); }));
        EXPECT_EQ(token.use_count(), 2);
        EXPECT_EQ(waiting_at(lock), 1u);
    }
    EXPECT_EQ(waiting_at(lock), 0u);
    lock.unlock();
    EXPECT_TRUE(lock.try_lock());
    lock.unlock();
}

TEST(AsioLock, ContextThatEndsGivesBackWhatItsWaitHadGot) {
    AsyncLock lock;
    lock.lock();
    {
        net::io_context context;
        futon::asio::async(context, lock.locking(), OnLock([](error_code, AsyncLock::Guard) { FAIL(); }));
        lock.unlock_fair();  // posted, and never run
    }
    lock.lock();
    lock.unlock();
    {
        net::io_context context;
        async_lock(lock, net::bind_executor(context, OnLock([](error_code, AsyncLock::Guard) { FAIL(); })));
        EXPECT_FALSE(lock.try_lock());
    }
    EXPECT_TRUE(lock.try_lock());
    lock.unlock();
}

TEST(AsioLock, DeadlineIsAResultAndNoError) {
    net::io_context context;
    AsyncLock lock;
    lock.lock();
    std::optional<WaitResult> result;
    futon::asio::async(context, lock.locking(), std::chrono::milliseconds(1),
                       OnLock([&](error_code error, AsyncLock::Guard guard) {
                           EXPECT_FALSE(error);
                           result = guard.result();
                       }));
    context.run();
    EXPECT_EQ(result, WaitResult::timed_out);
    EXPECT_EQ(waiting_at(lock), 0u);
    lock.unlock();
}

TEST(AsioLock, AWakeUpBeforeTheDeadlineCancelsTheTimer) {
    net::io_context context;
    AsyncLock lock;
    lock.lock();
    bool is_called = false;
    futon::asio::async(context, lock.locking(), std::chrono::hours(1),
                       OnLock([&](error_code, AsyncLock::Guard guard) { is_called = guard.owns_lock(); }));
    context.poll();
    lock.unlock();
    context.run();
    EXPECT_TRUE(is_called);
}

#if FUTON_ASIO_VERSION >= 101900
TEST(AsioLock, AWaitThatIsWokenInVainEndsAtItsDeadline) {
    net::io_context context;
    AsyncLock lock;
    WaitResult result = WaitResult::ok;
    lock.lock();
    futon::asio::async(context, lock.locking(), std::chrono::milliseconds(20),
                       OnLock([&](error_code, AsyncLock::Guard guard) { result = guard.result(); }));
    lock.unlock();
    const bool is_barged = lock.try_lock();  // another is faster, unless the unlock offered the lock
    context.run();
    EXPECT_EQ(result, is_barged ? WaitResult::timed_out : WaitResult::ok);
    EXPECT_EQ(waiting_at(lock), 0u);
    if (is_barged) lock.unlock();
}

TEST(AsioLock, EachCancellationTypeEndsTheWait) {
    for (const auto type :
         {net::cancellation_type::terminal, net::cancellation_type::partial, net::cancellation_type::total}) {
        net::io_context context;
        AsyncLock lock;
        lock.lock();
        net::cancellation_signal signal;
        int calls = 0;
        futon::asio::async(
            context, lock.locking(),
            net::bind_cancellation_slot(signal.slot(), OnLock([&](error_code error, AsyncLock::Guard guard) {
                                            EXPECT_EQ(error, net::error::operation_aborted);
                                            EXPECT_EQ(guard.result(), WaitResult::cancelled);
                                            ++calls;
                                        })));
        signal.emit(type);
        EXPECT_EQ(calls, 0);
        EXPECT_EQ(waiting_at(lock), 0u);
        context.run();
        EXPECT_EQ(calls, 1);
        lock.unlock();
    }
}

TEST(AsioLock, CancellationAfterAHandoffIsASuccess) {
    net::io_context context;
    AsyncLock lock;
    lock.lock();
    net::cancellation_signal signal;
    bool is_owned = false;
    futon::asio::async(context, lock.locking(),
                       net::bind_cancellation_slot(signal.slot(), OnLock([&](error_code error, AsyncLock::Guard guard) {
                                                       EXPECT_FALSE(error);
                                                       is_owned = guard.owns_lock();
                                                   })));
    lock.unlock_fair();
    signal.emit(net::cancellation_type::terminal);
    context.run();
    EXPECT_TRUE(is_owned);
}

TEST(AsioLock, CancellationOfOneThatWasWokenInVainIsSeen) {
    net::io_context context;
    AsyncLock lock;
    lock.lock();
    net::cancellation_signal signal;
    bool is_aborted = false;
    futon::asio::async(context, lock.locking(),
                       net::bind_cancellation_slot(signal.slot(), OnLock([&](error_code error, AsyncLock::Guard) {
                                                       is_aborted = error == net::error::operation_aborted;
                                                   })));
    lock.unlock();
    const bool is_barged = lock.try_lock();  // another is faster, unless the unlock offered the lock
    signal.emit(net::cancellation_type::terminal);
    context.run();
    EXPECT_EQ(is_aborted, is_barged);
    EXPECT_EQ(waiting_at(lock), 0u);
    if (is_barged) lock.unlock();
}
#endif

#if defined(ASIO_HAS_CO_AWAIT) || defined(BOOST_ASIO_HAS_CO_AWAIT)
TEST(AsioLock, CoroutinesOfOneContextExcludeEachOther) {
    net::io_context context;
    AsyncLock lock;
    int inside = 0;
    int done = 0;
    const auto work = [&]() -> net::awaitable<void> {
        for (int i = 0; i < 200; ++i) {
            AsyncLock::Guard guard = co_await async_lock(lock, net::use_awaitable);
            EXPECT_EQ(++inside, 1);
            co_await net::post(net::use_awaitable);
            --inside;
        }
        ++done;
    };
    for (int i = 0; i < 8; ++i) net::co_spawn(context, work, net::detached);
    context.run();
    EXPECT_EQ(done, 8);
    EXPECT_EQ(waiting_at(lock), 0u);
}
#endif

/// An executor of a program's own, which begins with what is no address of a context.
struct Odd {
    net::io_context& query(net::execution::context_t) const noexcept { return *context; }
    static constexpr net::execution::blocking_t::never_t query(net::execution::blocking_t) noexcept { return {}; }
    template <class F>
    void execute(F f) const {
        net::post(*context, std::move(f));
    }
    bool operator==(const Odd&) const noexcept = default;

    std::uintptr_t word = 64;
    net::io_context* context = nullptr;
};

TEST(AsioLock, AnExecutorOfAnyTypeIsTakenForAContextsOnlyWhereItHoldsOne) {
    net::io_context context;
    AsyncLock lock;
    bool is_called = false;
    lock.lock();
    const net::any_io_executor any = Odd{.context = &context};
    futon::asio::async(any, lock.locking(), OnLock([&](error_code, AsyncLock::Guard) { is_called = true; }));
    lock.unlock();  // asks whether the waiter is one of this thread
    context.run();
    EXPECT_TRUE(is_called);
}

TEST(AsioLock, ThreadsOfAPoolAndBlockedThreadsExcludeEachOther) {
    AsyncLock lock;
    long shared = 0;
    constexpr int rounds = 2000;
    {
        net::thread_pool pool(3);
        std::atomic<int> left{4 * rounds};
        std::function<void()> next = [&] {
            if (left.fetch_sub(1) <= 0) return;
            futon::asio::async(pool, lock.locking(), std::chrono::hours(1),
                               OnLock([&](error_code error, AsyncLock::Guard guard) {
                                   ASSERT_FALSE(error);
                                   ASSERT_TRUE(guard.owns_lock());
                                   ++shared;
                                   guard.unlock();
                                   next();
                               }));
        };
        for (int i = 0; i < 8; ++i) next();
        std::thread blocked([&] {
            for (int i = 0; i < rounds; ++i) {
                const std::lock_guard hold(lock);
                ++shared;
            }
        });
        blocked.join();
        pool.join();
    }
    EXPECT_EQ(shared, 5L * rounds);
}

}  // namespace
