// SPDX-License-Identifier: MIT
#include <atomic>
#include <cstddef>
#include <memory>
#include <memory_resource>
#include <optional>
#include <thread>
#include <vector>

#include <futon/asio.hpp>
#include <futon/futon.hpp>

#include "adapters/asio/asio_handlers.hpp"
#include "support/gtest.hpp"
#include "support/waiting.hpp"

namespace {

using futon::AsyncLock;
using futon::WaitResult;
using futon::asio::error_code;
using futon::test::OnLock;
using futon::test::OnWait;
using futon::test::waiting_at;
namespace net = futon::asio::net;

TEST(AsioTeardown, ContextEndsWhileAThreadWakes) {
    for (int i = 0; i < 300; ++i) {
        AsyncLock lock;
        futon::Event event;
        futon::core::Atomic<int> value{0};
        std::optional<net::io_context> context(std::in_place);
        lock.lock();
        for (int k = 0; k < 4; ++k) {
            futon::asio::async(*context, lock.locking(), OnLock([](error_code, AsyncLock::Guard) {}));
            futon::asio::async(*context, event.waiting(), std::chrono::hours(1), OnWait([](error_code, WaitResult) {}));
            futon::asio::async(*context, futon::waiting(value, 0), OnWait([](error_code, WaitResult) {}));
            futon::asio::async_select(*context, futon::asio::choices(event.waiting(), lock.locking()),
                                      [](error_code, auto) {});
        }
        std::atomic<bool> goes{false};
        std::thread waker([&] {
            while (!goes.load()) std::this_thread::yield();
            lock.unlock_fair();
            event.set();
            futon::notify(futon::Word<int>(value), futon::everyone);
        });
        goes.store(true);
        if (i % 2 == 0) context->poll();
        context.reset();
        waker.join();
        EXPECT_TRUE(lock.try_lock());
        lock.unlock();
        EXPECT_EQ(waiting_at(lock), 0u);
    }
}

TEST(AsioTeardown, PoolRunsHandlersWhileThreadsWakeAndTimersExpire) {
    AsyncLock lock;
    std::atomic<int> ended{0};
    constexpr int count = 2000;
    net::thread_pool pool(3);
    lock.lock();
    for (int i = 0; i < count; ++i)
        futon::asio::async(pool, lock.locking(), std::chrono::microseconds(i % 1000),
                           OnLock([&](error_code, AsyncLock::Guard) { ++ended; }));
    lock.unlock();
    pool.join();
    EXPECT_EQ(ended.load(), count);
    EXPECT_EQ(waiting_at(lock), 0u);
}

/// Selects what is ready, in a context that ends before the handler runs.
template <class Choice>
void select_without_a_turn(Choice choice) {
    net::io_context context;
    futon::Event never;
    futon::asio::async_select(context, futon::asio::choices(std::move(choice), never.waiting()),
                              [](error_code, auto) { ADD_FAILURE() << "the context has not run"; });
}

TEST(AsioTeardown, WhatASelectGotAtOnceIsGivenBackIfItsContextEnds) {
    AsyncLock lock;
    futon::AutoResetEvent signal(true);
    futon::Semaphore permits(3);
    futon::Channel<int> channel(2);
    EXPECT_TRUE(channel.try_send(1) && channel.try_send(2));

    select_without_a_turn(lock.locking());
    select_without_a_turn(signal.waiting());
    select_without_a_turn(permits.acquiring(2));
    select_without_a_turn(channel.receiving());
    select_without_a_turn(std::optional(permits.acquiring(3)));

    EXPECT_TRUE(lock.try_lock());
    EXPECT_TRUE(signal.is_set());
    EXPECT_EQ(permits.available(), 3u);
    EXPECT_EQ(channel.size(), 2u);
    EXPECT_EQ(channel.try_receive().value(), 1);
    lock.unlock();
}

TEST(AsioTeardown, WhatASelectSentAtOnceStaysSent) {
    futon::Channel<int> channel(2);

    select_without_a_turn(channel.sending(7));

    EXPECT_EQ(channel.try_receive().value(), 7);
}

TEST(AsioTeardown, HandlerMayDestroyTheLockItGot) {
    net::io_context context;
    auto lock = std::make_unique<AsyncLock>();
    futon::asio::async(context, lock->locking(), OnLock([&](error_code, AsyncLock::Guard guard) {
                           guard.unlock();
                           lock.reset();
                       }));
    context.run();
    EXPECT_EQ(lock, nullptr);
}

TEST(AsioTeardown, LockMayBeDeclaredAfterItsContext) {
    net::io_context context;
    bool is_called = false;
    {
        AsyncLock lock;
        lock.lock();
        futon::asio::async(context, lock.locking(), OnLock([&](error_code, AsyncLock::Guard) { is_called = true; }));
        lock.unlock();
        context.run();
    }
    EXPECT_TRUE(is_called);
}

/// Counts what is allocated and not given back.
template <class T>
struct Counting {
    using value_type = T;
    explicit Counting(int& blocks, int& most) noexcept : live(&blocks), total(&most) {}
    template <class U>
    Counting(const Counting<U>& other) noexcept : live(other.live), total(other.total) {}
    T* allocate(std::size_t n) {
        ++*live;
        ++*total;
        return std::allocator<T>().allocate(n);
    }
    void deallocate(T* p, std::size_t n) noexcept {
        --*live;
        std::allocator<T>().deallocate(p, n);
    }
    template <class U>
    bool operator==(const Counting<U>& other) const noexcept {
        return live == other.live;
    }
    int* live;
    int* total;
};

struct Handler {
    using allocator_type = Counting<std::byte>;
    allocator_type allocator;
    bool& is_freed;
    allocator_type get_allocator() const noexcept { return allocator; }
    void operator()(error_code, AsyncLock::Guard) const { is_freed = *allocator.live == 0; }
};

TEST(AsioMemory, OneBlockOfTheHandlersAllocatorForAWait) {
    net::io_context context;
    AsyncLock lock;
    int live = 0;
    int total = 0;
    bool is_freed = false;
    const auto start = [&] {
        futon::asio::async(context, lock.locking(), Handler{Counting<std::byte>(live, total), is_freed});
    };

    start();
    context.run();
    EXPECT_EQ(total, 1);  // the post of one that waits for nothing
    EXPECT_TRUE(is_freed);
    context.restart();

    lock.lock();
    total = 0;
    is_freed = false;
    start();
    lock.unlock();
    context.run();
    EXPECT_EQ(total, 1);
    EXPECT_TRUE(is_freed);
    EXPECT_EQ(live, 0);
}

}  // namespace
