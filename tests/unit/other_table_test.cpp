// SPDX-License-Identifier: MIT
#include <chrono>
#include <optional>
#include <stop_token>
#include <thread>

#include <futon/core/driver/await.hpp>
#include <futon/core/driver/block.hpp>
#include <futon/core/driver/promise_of.hpp>
#include <futon/futon.hpp>

#include "support/coroutines.hpp"
#include "support/gtest.hpp"
#include "support/small_table.hpp"
#include "support/tokens.hpp"

namespace {

using futon::Deadline;
using futon::EventLoop;
using futon::Promise;
using futon::WaitResult;
using futon::core::await;
using futon::core::block;
using futon::core::promise_of;
using futon::test::OwnedCoroutine;
using futon::test::SmallTable;
using futon::test::Tokens;

Promise<WaitResult> take_awaited(Tokens& tokens) {
    co_return co_await await(Tokens::Take(tokens));
}

/// Waits in a table other than the process's: every way to end one must leave that table.
class OtherTable : public testing::Test {
protected:
    /// Lets the loop run for as long as a wait ends that can.
    void poll_often() {
        for (int i = 0; i < 100; ++i) {
            loop->poll();
            std::this_thread::yield();
        }
    }

    SmallTable table{8};
    Tokens tokens{0, table};
    std::optional<EventLoop> loop{std::in_place};
    std::stop_source stop;
};

TEST_F(OtherTable, WakesABlockedThread) {
    std::jthread thread([&] { EXPECT_EQ(block(Tokens::Take(tokens)), WaitResult::ok); });
    while (table.size() == 0) std::this_thread::yield();

    EXPECT_EQ(tokens.release(), 1u);
}

TEST_F(OtherTable, IsLeftByABlockedThreadWhoseDeadlineComes) {
    loop.reset();

    EXPECT_EQ(block(Tokens::Take(tokens), std::chrono::milliseconds(1)), WaitResult::timed_out);

    EXPECT_EQ(table.size(), 0u);
}

TEST_F(OtherTable, WakesACoroutine) {
    auto promise = take_awaited(tokens);

    EXPECT_EQ(tokens.release(), 1u);

    EXPECT_EQ(loop->run_until(promise), WaitResult::ok);
}

TEST_F(OtherTable, IsLeftByAPromiseThatIsStopped) {
    const auto promise = promise_of(Tokens::Take(tokens), stop.get_token());

    stop.request_stop();
    poll_often();

    EXPECT_EQ(table.size(), 0u);
    EXPECT_TRUE(promise.is_settled());
    if (!promise.is_settled()) tokens.release();
    loop->run();
}

TEST_F(OtherTable, IsLeftByAPromiseWhoseDeadlineComes) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(1);
    const auto promise = promise_of(Tokens::Take(tokens), deadline);

    while (std::chrono::steady_clock::now() <= deadline) std::this_thread::yield();
    poll_often();

    EXPECT_EQ(table.size(), 0u);
    EXPECT_TRUE(promise.is_settled());
    if (!promise.is_settled()) tokens.release();
    loop->run();
}

TEST_F(OtherTable, IsLeftByAPromiseThatIsDropped) {
    { const auto promise = promise_of(Tokens::Take(tokens)); }

    EXPECT_EQ(table.size(), 0u);
    if (table.size() == 1) tokens.release();
    loop->run();
}

OwnedCoroutine take_owned(Tokens& tokens) {
    co_await await(Tokens::Take(tokens));
}

TEST_F(OtherTable, IsLeftByACoroutineThatIsDestroyed) {
    OwnedCoroutine coroutine = take_owned(tokens);

    coroutine.destroy();  // does not return where the waiter is looked for in another table

    EXPECT_EQ(table.size(), 0u);
}

TEST_F(OtherTable, IsLeftByACoroutineWhoseAgentEnds) {
    const auto promise = take_awaited(tokens);

    loop.reset();  // does not return where the waiter is looked for in another table

    EXPECT_EQ(table.size(), 0u);
}

TEST_F(OtherTable, IsLeftByASelectOfWhichAnotherOperationIsChosen) {
    loop.reset();
    Tokens ready(0, table);
    std::jthread thread([&] { static_cast<void>(futon::select(Tokens::Take(tokens), Tokens::Take(ready))); });
    while (table.size() < 2) std::this_thread::yield();

    ready.release();
    thread.join();

    EXPECT_EQ(table.size(), 0u);
}

}  // namespace
