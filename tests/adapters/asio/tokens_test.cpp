// SPDX-License-Identifier: MIT
// Completion tokens and cancellation, one by one.
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <future>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <thread>
#include <tuple>
#include <utility>
#include <variant>

#include <futon/asio.hpp>
#include <futon/futon.hpp>
#if FUTON_ASIO_VERSION >= 101900
#ifdef FUTON_USE_BOOST_ASIO
#include <boost/asio/experimental/as_tuple.hpp>
#include <boost/asio/experimental/deferred.hpp>
#else
#include <asio/experimental/as_tuple.hpp>
#include <asio/experimental/deferred.hpp>
#endif
#endif
#if FUTON_ASIO_VERSION >= 102200
#ifdef FUTON_USE_BOOST_ASIO
#include <boost/asio/experimental/parallel_group.hpp>
#else
#include <asio/experimental/parallel_group.hpp>
#endif
#endif

#include "adapters/asio/asio_handlers.hpp"
#include "support/gtest.hpp"
#include "support/waiting.hpp"

namespace {

std::atomic<std::size_t> allocations{0};

}  // namespace

[[gnu::noinline]] void* operator new(std::size_t size) {
    ++allocations;
    if (void* const memory = std::malloc(size)) return memory;
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
    std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}

namespace {

using futon::AsyncLock;
using futon::WaitResult;
using futon::asio::error_code;
using futon::test::OnLock;
using futon::test::OnWait;
using futon::test::waiting_at;
namespace net = futon::asio::net;
using namespace std::chrono_literals;

#if FUTON_ASIO_VERSION >= 101900
/// How much two coroutines allocate in 200 rounds, once they have been run.
template <class F>
std::size_t allocated_by(F step) {
    net::io_context context(1);
    std::size_t before = 0;
    std::size_t after = 0;
    const auto work = [&]() -> net::awaitable<void> {
        for (int i = 0; i < 300; ++i) {
            if (i == 50) before = allocations;
            if (i == 250 && after == 0) after = allocations;
            co_await step();
        }
    };
    for (int i = 0; i < 2; ++i) net::co_spawn(context, work, net::detached);
    context.run();
    return after - before;
}

TEST(AsioMemory, ContendedLockAllocatesOneBlockAWaitAtMost) {
    AsyncLock lock;
    const std::size_t ours = allocated_by([&]() -> net::awaitable<void> {
        AsyncLock::Guard guard = co_await futon::asio::async_lock(lock, net::use_awaitable);
        co_await net::post(net::use_awaitable);
    });
    EXPECT_LE(ours, 2u * 200u);  // Asio's own cache has room for two blocks a thread, and those of its posts are in it
}
#endif

TEST(AsioMemory, WakeUpAndCompletionAllocateNothing) {
    net::io_context context(1);
    AsyncLock lock;
    lock.lock();
    futon::asio::async(context, lock.locking(), OnLock([](error_code, AsyncLock::Guard) {}));
    const std::size_t before = allocations;
    lock.unlock();
    context.run();
    EXPECT_EQ(allocations, before);
}

TEST(AsioTokens, FutureAndDetached) {
    net::io_context context;
    AsyncLock lock;
    std::future<AsyncLock::Guard> future = futon::asio::async(context, lock.locking(), net::use_future);
    futon::asio::async(context, lock.locking(), net::detached);
    std::thread runner([&] { context.run(); });
    future.get().unlock();
    runner.join();
    EXPECT_TRUE(lock.try_lock());
    lock.unlock();
}

template <class T>
bool is_settled(const std::future<T>& future) {
    return future.wait_for(0s) == std::future_status::ready;
}

TEST(AsioTokens, FutureOfANamedContextIsItsWorkAndSettlesInItsRun) {
    net::io_context context;
    futon::Event event;
    const std::future<WaitResult> of_wait = futon::asio::async(context, event.waiting(), net::use_future);
    const auto of_select = futon::asio::async_select(context, futon::asio::choices(event.waiting()), net::use_future);
    context.poll();
    EXPECT_FALSE(context.stopped()) << "the waits are its work";
    event.set();
    EXPECT_EQ(of_wait.wait_for(20ms), std::future_status::timeout) << "no other thread settles it";
    EXPECT_FALSE(is_settled(of_select));
    context.run();
    EXPECT_TRUE(is_settled(of_wait));
    EXPECT_TRUE(is_settled(of_select));
}

TEST(AsioTokens, FutureOfWhatIsDoneAtOnceSettlesInTheRunOfItsContext) {
    net::io_context context;
    AsyncLock lock;
    std::future<AsyncLock::Guard> future = futon::asio::async(context, lock.locking(), net::use_future);
    EXPECT_EQ(future.wait_for(20ms), std::future_status::timeout);
    context.run();
    ASSERT_TRUE(is_settled(future));
    EXPECT_TRUE(future.get().owns_lock());
}

TEST(AsioTokens, FutureOfAContextThatEndsIsBroken) {
    futon::Event event;
    std::future<WaitResult> future;
    {
        net::io_context context;
        future = futon::asio::async(context, event.waiting(), net::use_future);
    }
    EXPECT_THROW(future.get(), std::future_error);
}

/// A wait for an event whose result throws.
struct Failing : decltype(std::declval<futon::Event&>().waiting()) {
    WaitResult result(futon::core::Ending) { throw std::runtime_error("result"); }
};

TEST(AsioTokens, FutureGetsWhatTheResultThrows) {
    net::io_context context;
    futon::Event event;
    std::future<WaitResult> future = futon::asio::async(context, Failing{event.waiting()}, net::use_future);
    event.set();
    EXPECT_NO_THROW(context.run());
    ASSERT_TRUE(is_settled(future));
    EXPECT_THROW(future.get(), std::runtime_error);
}

TEST(AsioTokens, EmptyExecutorIsRefusedAndTheOperationIsUnharmed) {
    AsyncLock lock;
    lock.lock();
    EXPECT_ANY_THROW(futon::asio::async(net::any_io_executor(), lock.locking(),
                                        OnLock([](error_code, AsyncLock::Guard) { FAIL(); })));
    EXPECT_EQ(waiting_at(lock), 0u);
    lock.unlock();
    EXPECT_ANY_THROW(futon::asio::async(net::any_io_executor(), lock.locking(),
                                        OnLock([](error_code, AsyncLock::Guard) { FAIL(); })));
    EXPECT_TRUE(lock.try_lock()) << "what was done at once is given back";
    lock.unlock();
}

TEST(AsioTeardown, StoppedContextIsRestartedWithWaitsPending) {
    net::io_context context;
    AsyncLock lock;
    futon::Event event;
    lock.lock();
    int ended = 0;
    futon::asio::async(context, lock.locking(), OnLock([&](error_code, AsyncLock::Guard) { ++ended; }));
    futon::asio::async(context, event.waiting(), 1h, OnWait([&](error_code, WaitResult) { ++ended; }));
    context.stop();
    context.run();
    lock.unlock();
    event.set();
    EXPECT_EQ(ended, 0);
    context.restart();
    context.run();
    EXPECT_EQ(ended, 2);
}

TEST(AsioTeardown, PromiseWhoseAgentEndsDestroysTheHandler) {
    net::io_context context;
    auto mark = std::make_shared<int>(0);
    {
        futon::EventLoop loop;
        futon::Event event;
        futon::asio::async_get(futon::promise_of(event.waiting()),
                               net::bind_executor(context, [mark](std::exception_ptr, WaitResult) { ADD_FAILURE(); }));
    }
    context.run();
    EXPECT_EQ(mark.use_count(), 1);
}

TEST(AsioTeardown, ServiceIsOfTheContextThatLivesNow) {
    AsyncLock lock;
    for (int i = 0; i < 20; ++i) {  // at the same address
        net::io_context context;
        lock.lock();
        bool is_called = false;
        futon::asio::async(context, lock.locking(), OnLock([&](error_code, AsyncLock::Guard) { is_called = true; }));
        lock.unlock();
        context.run();
        EXPECT_TRUE(is_called);
    }
}

TEST(AsioLock, OfferToAContextThatIsBusyIsTakenByAThread) {
    net::io_context context;
    AsyncLock lock;
    lock.lock();
    bool is_called = false;
    futon::asio::async(context, lock.locking(), OnLock([&](error_code, AsyncLock::Guard) { is_called = true; }));
    net::post(context, [&] {
        lock.unlock();  // in the loop of the first in the queue: an offer
        std::thread other([&] {
            const std::lock_guard hold(lock);
            EXPECT_FALSE(is_called);
        });
        other.join();
    });
    context.run();
    EXPECT_TRUE(is_called);
}

TEST(AsioLock, CoroutinesOfTwoContextsAndThreadsExcludeEachOther) {
    AsyncLock lock;
    long shared = 0;
    constexpr int rounds = 500;
    const auto work = [&]() -> net::awaitable<void> {
        for (int i = 0; i < rounds; ++i) {
            AsyncLock::Guard guard = co_await futon::asio::async_lock(lock, net::use_awaitable);
            ++shared;
            co_await net::post(net::use_awaitable);
        }
    };
    const auto runs = [&] {
        net::io_context context(1);
        for (int i = 0; i < 3; ++i) net::co_spawn(context, work, net::detached);
        context.run();
    };
    std::thread one(runs);
    std::thread two(runs);
    for (int i = 0; i < rounds; ++i) {
        const std::lock_guard hold(lock);
        ++shared;
    }
    one.join();
    two.join();
    EXPECT_EQ(shared, 7L * rounds);
    EXPECT_EQ(waiting_at(lock), 0u);
}

#if FUTON_ASIO_VERSION >= 101900
TEST(AsioTokens, FutureOfABoundExecutorSettlesInItsRun) {
    net::io_context context;
    AsyncLock lock;
    lock.lock();
    std::future<AsyncLock::Guard> future =
        futon::asio::async_lock(lock, 1ms, net::bind_executor(context, net::use_future));
    context.run();
    ASSERT_TRUE(is_settled(future));
    EXPECT_FALSE(future.get().owns_lock());
    lock.unlock();
}

TEST(AsioTokens, TupleAndDeferred) {
    net::io_context context;
    futon::Event event;
    event.set();
    std::optional<WaitResult> result;
    auto later = futon::asio::async(context, event.waiting(), net::experimental::deferred);
    std::move(later)(OnWait([&](error_code, WaitResult ended) { result = ended; }));
    bool is_ok = false;
    net::co_spawn(
        context,
        [&]() -> net::awaitable<void> {
            auto [error, ended] =
                co_await futon::asio::async(context, event.waiting(), net::experimental::as_tuple(net::use_awaitable));
            is_ok = !error && ended == WaitResult::ok;
        },
        net::detached);
    context.run();
    EXPECT_EQ(result, WaitResult::ok);
    EXPECT_TRUE(is_ok);
}

#if FUTON_ASIO_VERSION >= 102200
TEST(AsioTokens, GroupOfDeferredWaitsCancelsTheOther) {
    net::io_context context;
    futon::Event done;
    futon::Event other;
    bool is_over = false;
    const auto waiting = [&](futon::Event& event) {
        return futon::asio::async(context, event.waiting(), net::experimental::deferred);
    };
    net::experimental::make_parallel_group(waiting(done), waiting(other))
        .async_wait(net::experimental::wait_for_one(), [&](std::array<std::size_t, 2> order, error_code of_done,
                                                           WaitResult first, error_code of_other, WaitResult second) {
            is_over = true;
            EXPECT_EQ(order[0], 0u);
            EXPECT_FALSE(of_done);
            EXPECT_EQ(first, WaitResult::ok);
            EXPECT_EQ(of_other, net::error::operation_aborted);
            EXPECT_EQ(second, WaitResult::cancelled);
        });
    done.set();
    context.run();
    EXPECT_TRUE(is_over);
    EXPECT_EQ(waiting_at(other), 0u);
}
#endif

const auto all_types = {net::cancellation_type::terminal, net::cancellation_type::partial,
                        net::cancellation_type::total};

TEST(AsioSelect, EachCancellationTypeEndsIt) {
    for (const auto type : all_types) {
        net::io_context context;
        AsyncLock lock;
        futon::Event event;
        lock.lock();
        net::cancellation_signal signal;
        bool is_aborted = false;
        futon::asio::async_select(context, futon::asio::choices(lock.locking(), event.waiting()),
                                  net::bind_cancellation_slot(signal.slot(), [&](error_code error, auto chosen) {
                                      is_aborted = error == net::error::operation_aborted && !chosen;
                                  }));
        signal.emit(type);
        context.run();
        EXPECT_TRUE(is_aborted);
        EXPECT_EQ(waiting_at(lock) + waiting_at(event), 0u);
        lock.unlock();
    }
}

TEST(AsioCondition, CancelledWaitHasTheLockAgain) {
    for (const auto type : all_types) {
        net::io_context context;
        AsyncLock lock;
        futon::Condition condition;
        net::cancellation_signal signal;
        bool is_owner = false;
        bool is_cancelled_without_an_error = false;  // an error would be thrown in a coroutine, and the guard lost
        lock.lock();
        futon::asio::async_wait(
            condition, AsyncLock::Guard(lock, std::adopt_lock),
            net::bind_executor(context, net::bind_cancellation_slot(signal.slot(), [&](error_code error, auto wakeup) {
                                   is_owner = wakeup.guard.owns_lock();
                                   is_cancelled_without_an_error = !error && wakeup.result == WaitResult::cancelled;
                               })));
        EXPECT_TRUE(lock.try_lock());  // the wait has released it
        signal.emit(type);
        lock.unlock();
        context.run();
        EXPECT_TRUE(is_owner);
        EXPECT_TRUE(is_cancelled_without_an_error);
        EXPECT_EQ(waiting_at(condition), 0u);
    }
}
#endif

}  // namespace
