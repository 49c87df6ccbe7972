// SPDX-License-Identifier: MIT
#include <chrono>
#include <stdexcept>
#include <thread>

#include <futon/core/driver/await.hpp>
#include <futon/futon.hpp>

#include "support/coroutines.hpp"
#include "support/gtest.hpp"
#include "support/queue_executor.hpp"
#include "support/tokens.hpp"

namespace {

using namespace std::chrono_literals;
using futon::EventLoop;
using futon::Promise;
using futon::WaitResult;
using futon::core::await;
using futon::test::OwnedCoroutine;
using futon::test::Tokens;

TEST(Await, ThrowsForAnOperationThatWasUsed) {
    EventLoop loop;
    Tokens tokens(1);
    const auto misuse = [&]() -> Promise<void> { co_await await(used(tokens)); };

    EXPECT_THROW(loop.run_until(misuse()), std::logic_error);

    EXPECT_EQ(tokens.available(), 1);
}

Promise<WaitResult> await_shared(futon::core::Await<Tokens::Take>& awaitable) {
    co_return co_await awaitable;
}

TEST(Await, ThrowsInASecondCoroutineThatAwaitsTheSame) {
    EventLoop loop;
    Tokens tokens;
    auto awaitable = await(Tokens::Take(tokens));
    auto first = await_shared(awaitable);

    EXPECT_THROW(loop.run_until(await_shared(awaitable)), std::logic_error);

    tokens.release();
    EXPECT_EQ(loop.run_until(first), WaitResult::ok);
}

TEST(Await, ThrowsWithoutAnExecutorBeforeItTries) {
    Tokens tokens(1);
    bool has_thrown = false;
    const auto misuse = [&]() -> OwnedCoroutine {
        try {
            co_await await(Tokens::Take(tokens));
        } catch (const futon::NoExecutor&) {
            has_thrown = true;
        }
    };

    misuse();

    EXPECT_TRUE(has_thrown);
    EXPECT_EQ(tokens.available(), 1);
}

TEST(Await, ThrowsForADeadlineWhereNoTimersAreKeptBeforeItTries) {
    futon::test::QueueExecutor queue;
    const futon::Agent agent(queue);
    Tokens tokens(1);
    const auto take = [&]() -> Promise<void> { co_await await(Tokens::Take(tokens), 1h); };
    const auto promise = take();
    bool has_thrown = false;
    const auto observe = [&]() -> Promise<void> {
        try {
            co_await promise;
        } catch (const futon::NoExecutor&) {
            has_thrown = true;
        }
    };

    const auto observed = observe();

    EXPECT_TRUE(has_thrown);
    EXPECT_EQ(tokens.available(), 1);
}

}  // namespace
