// SPDX-License-Identifier: MIT
#include <chrono>
#include <cstdint>
#include <future>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <variant>

#include <futon/asio.hpp>
#include <futon/futon.hpp>
#ifndef FUTON_USE_BOOST_ASIO
#include <asio/experimental/awaitable_operators.hpp>
#endif

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
using namespace std::chrono_literals;

TEST(AsioWait, NotifyFromAnotherThreadCompletes) {
    net::io_context context;
    futon::core::Atomic<int> value{0};
    std::optional<WaitResult> result;
    futon::asio::async_wait(futon::Word<int>(value), 0,
                            net::bind_executor(context, OnWait([&](error_code error, WaitResult ended) {
                                                   EXPECT_FALSE(error);
                                                   result = ended;
                                               })));
    std::thread notifier([&] { EXPECT_EQ(futon::notify(futon::Word<int>(value), 1), 1u); });
    context.run();
    notifier.join();
    EXPECT_EQ(result, WaitResult::ok);
}

TEST(AsioWait, TakesAnAtomicOfAnyValueThatCanBeWaitedOn) {
    enum class Light : std::uint8_t { red, green };
    net::io_context context;
    futon::core::Atomic<Light> light{Light::red};
    futon::core::Atomic<bool> is_open{true};
    std::optional<WaitResult> on_light;
    std::optional<WaitResult> on_bool;
    const auto into = [&](std::optional<WaitResult>& result) {
        return net::bind_executor(context, OnWait([&](error_code, WaitResult ended) { result = ended; }));
    };
    futon::asio::async_wait(light, Light::red, into(on_light));
    futon::asio::async_wait(is_open, false, 1h, into(on_bool));
    EXPECT_EQ(futon::notify(light), 1u);
    context.run();
    EXPECT_EQ(on_light, WaitResult::ok);
    EXPECT_EQ(on_bool, WaitResult::not_equal);
}

TEST(AsioWait, AnotherValueIsNotEqualAtOnceButLater) {
    net::io_context context;
    futon::core::Atomic<int> value{1};
    std::optional<WaitResult> result;
    futon::asio::async(context, futon::waiting(value, 0),
                       OnWait([&](error_code, WaitResult ended) { result = ended; }));
    EXPECT_FALSE(result);
    context.run();
    EXPECT_EQ(result, WaitResult::not_equal);
}

TEST(AsioWait, StrandAndAnyExecutorRunTheHandler) {
    net::thread_pool pool(2);
    auto strand = net::make_strand(pool.get_executor());
    const net::any_io_executor any = strand;
    futon::Event event;
    std::promise<bool> in_strand;
    std::promise<bool> in_any;
    futon::asio::async(strand, event.waiting(),
                       OnWait([&](error_code, WaitResult) { in_strand.set_value(strand.running_in_this_thread()); }));
    futon::asio::async(any, event.waiting(), 1h,
                       OnWait([&](error_code, WaitResult) { in_any.set_value(strand.running_in_this_thread()); }));
    event.set();
    EXPECT_TRUE(in_strand.get_future().get());
    EXPECT_TRUE(in_any.get_future().get());
    pool.join();
}

TEST(AsioWait, OperationThatWasUsedIsRefused) {
    net::io_context context;
    AsyncLock lock;
    auto op = lock.locking();
    futon::asio::async(context, std::move(op), OnLock([](error_code, AsyncLock::Guard) {}));
    EXPECT_THROW(futon::asio::async(context, std::move(op), OnLock([](error_code, AsyncLock::Guard) {})),
                 std::logic_error);
    context.run();
}

TEST(AsioWait, ExceptionOfAHandlerLeavesThroughRunAndTheContextGoesOn) {
    net::io_context context;
    AsyncLock lock;
    for (int i = 0; i < 2; ++i)
        futon::asio::async(context, lock.locking(),
                           OnLock([](error_code, AsyncLock::Guard) { throw std::runtime_error("handler"); }));
    EXPECT_THROW(context.run(), std::runtime_error);
    EXPECT_THROW(context.run(), std::runtime_error);
    EXPECT_EQ(context.run(), 0u);
    EXPECT_TRUE(lock.try_lock());
    lock.unlock();
}

TEST(AsioWait, StoppedContextThatRunsAgainGoesOn) {
    net::io_context context;
    futon::Event event;
    bool is_called = false;
    futon::asio::async(context, event.waiting(), OnWait([&](error_code, WaitResult) { is_called = true; }));
    context.stop();
    event.set();
    context.run();
    EXPECT_FALSE(is_called);
    context.restart();
    context.run();
    EXPECT_TRUE(is_called);
}

TEST(AsioChannel, ItemsPassBothWaysInOrder) {
    net::io_context context;
    futon::Channel<std::string> channel(1);
    std::string received;
    for (int i = 0; i < 3; ++i)
        futon::asio::async_send(channel, std::string(1, static_cast<char>('a' + i)),
                                net::bind_executor(context, [](error_code, futon::SendResult<std::string> sent) {
                                    EXPECT_TRUE(static_cast<bool>(sent));
                                }));
    for (int i = 0; i < 3; ++i)
        futon::asio::async_receive(channel,
                                   net::bind_executor(context, [&](error_code, futon::Received<std::string> item) {
                                       ASSERT_TRUE(static_cast<bool>(item));
                                       received += *item;
                                   }));
    context.run();
    EXPECT_EQ(received, "abc");
}

TEST(AsioChannel, ContextThatEndsGivesBackAnItemThatNoHandlerTook) {
    futon::Channel<int> channel(2);
    ASSERT_TRUE(channel.try_send(7));
    const auto never = [](error_code, futon::Received<int>) { FAIL(); };
    {
        net::io_context context;
        futon::asio::async_receive(channel, net::bind_executor(context, never));
    }
    auto item = channel.try_receive();
    ASSERT_TRUE(static_cast<bool>(item));
    EXPECT_EQ(*item, 7);
    {
        net::io_context context;
        futon::asio::async_receive(channel, net::bind_executor(context, never));
        ASSERT_TRUE(channel.try_send(8));
    }
    auto other = channel.try_receive();
    ASSERT_TRUE(static_cast<bool>(other));
    EXPECT_EQ(*other, 8);
}

TEST(AsioSemaphore, PermitsThatNoHandlerTookAreReleased) {
    futon::Semaphore semaphore(1);
    {
        net::io_context context;
        futon::asio::async(context, semaphore.acquiring(), OnWait([](error_code, WaitResult) { FAIL(); }));
        EXPECT_FALSE(semaphore.try_acquire());
    }
    EXPECT_TRUE(semaphore.try_acquire());
}

TEST(AsioSelect, FirstThatIsReadyIsChosenAndTheOthersLeave) {
    net::io_context context;
    AsyncLock lock;
    lock.lock();
    futon::Event event;
    std::size_t index = 99;
    futon::asio::async_select(context, futon::asio::choices(lock.locking(), event.waiting(), futon::timeout(1h)),
                              [&](error_code error, auto chosen) {
                                  EXPECT_FALSE(error);
                                  index = chosen->index();
                              });
    context.poll();
    EXPECT_EQ(waiting_at(lock), 1u);
    std::thread setter([&] { event.set(); });
    context.run();
    setter.join();
    EXPECT_EQ(index, 1u);
    EXPECT_EQ(waiting_at(lock), 0u);
    lock.unlock();
}

TEST(AsioSelect, TimeoutIsChosen) {
    net::io_context context;
    futon::Event event;
    std::size_t index = 99;
    futon::asio::async_select(context, futon::asio::choices(event.waiting(), futon::timeout(1ms)),
                              [&](error_code error, auto chosen) {
                                  EXPECT_FALSE(error);
                                  index = chosen->index();
                              });
    context.run();
    EXPECT_EQ(index, 1u);
}

TEST(AsioSelect, ContextThatEndsLeavesAllQueues) {
    AsyncLock one;
    AsyncLock two;
    one.lock();
    two.lock();
    const auto never = [](error_code, auto) { FAIL(); };
    {
        net::io_context context;
        futon::asio::async_select(context, futon::asio::choices(one.locking(), two.locking()), never);
    }
    {
        net::io_context context;
        futon::asio::async_select(context, futon::asio::choices(one.locking(), two.locking()), never);
        two.unlock_fair();
    }
    EXPECT_TRUE(two.try_lock());
    EXPECT_EQ(waiting_at(one) + waiting_at(two), 0u);
    one.unlock();
    two.unlock();
}

TEST(AsioPromise, ValueAndExceptionReachTheHandler) {
    net::io_context context;
    futon::EventLoop loop;
    AsyncLock lock;
    futon::Event event;
    std::optional<WaitResult> value;
    bool has_thrown = false;
    const auto throws = [&]() -> futon::Promise<int> {
        co_await event.wait_async();
        throw std::runtime_error("promise");
    };
    futon::asio::async_get(futon::promise_of(event.waiting()),
                           net::bind_executor(context, [&](std::exception_ptr, WaitResult result) { value = result; }));
    futon::asio::async_get(
        throws(), net::bind_executor(context, [&](std::exception_ptr error, int) { has_thrown = error != nullptr; }));
    event.set();
    loop.run();
    EXPECT_FALSE(value);
    context.run();
    EXPECT_EQ(value, WaitResult::ok);
    EXPECT_TRUE(has_thrown);
}

#if defined(ASIO_HAS_CO_AWAIT) || defined(BOOST_ASIO_HAS_CO_AWAIT)
TEST(AsioCondition, WaiterHasTheLockAgain) {
    net::io_context context;
    AsyncLock lock;
    futon::Condition condition;
    bool is_ready = false;
    bool is_seen = false;
    net::co_spawn(
        context,
        [&]() -> net::awaitable<void> {
            AsyncLock::Guard guard = co_await futon::asio::async_lock(lock, net::use_awaitable);
            while (!is_ready) {
                auto wakeup = co_await futon::asio::async_wait(condition, std::move(guard), net::use_awaitable);
                guard = std::move(wakeup.guard);
            }
            is_seen = guard.owns_lock();
        },
        net::detached);
    std::thread notifier([&] {
        const std::lock_guard hold(lock);
        is_ready = true;
        condition.notify_one();
    });
    context.run();
    notifier.join();
    EXPECT_TRUE(is_seen);
}

#ifndef FUTON_USE_BOOST_ASIO
TEST(AsioLock, WaitOrTimerLeavesTheQueueClean) {
    using namespace net::experimental::awaitable_operators;
    net::io_context context;
    AsyncLock lock;
    lock.lock();
    std::size_t index = 99;
    net::co_spawn(
        context,
        [&]() -> net::awaitable<void> {
            net::steady_timer timer(context, 1ms);
            const auto first =
                co_await (futon::asio::async_lock(lock, net::use_awaitable) || timer.async_wait(net::use_awaitable));
            index = first.index();
        },
        net::detached);
    context.run();
    EXPECT_EQ(index, 1u);
    EXPECT_EQ(waiting_at(lock), 0u);
    lock.unlock();
}
#endif
#endif

}  // namespace
