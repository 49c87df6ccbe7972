// SPDX-License-Identifier: MIT
#include <optional>
#include <stop_token>
#include <system_error>
#include <utility>

#include <futon/core/driver/await.hpp>
#include <futon/core/driver/block.hpp>
#include <futon/core/driver/promise_of.hpp>
#include <futon/futon.hpp>

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
using futon::core::BlockedWaiter;
using futon::core::promise_of;
using futon::core::WaitQueues;
using futon::test::SmallTable;
using futon::test::Tokens;

template <class F>
void expect_no_memory(F f) {
    try {
        f();
        ADD_FAILURE() << "nothing was thrown";
    } catch (const std::system_error& error) {
        EXPECT_EQ(error.code(), std::errc::not_enough_memory);
    }
}

Promise<WaitResult> take(Tokens& tokens) {
    co_return co_await await(Tokens::Take(tokens));
}

Promise<std::size_t> select_of(Tokens& tokens, Tokens& others) {
    const auto chosen = co_await futon::select_async(Tokens::Take(tokens), Tokens::Take(others));
    co_return chosen.index();
}

/// A table in which one waiter has room.
class FullTable : public testing::Test {
protected:
    /// Enqueues a waiter that never leaves by itself, so that the table is full.
    void fill() { ASSERT_EQ(filler.enqueue(table, Tokens::Take(others).check()), futon::core::EnqueueResult::queued); }
    ~FullTable() override { table.dequeue(filler, WaitResult::cancelled); }

    SmallTable table{1};
    Tokens tokens{0, table};
    Tokens others{0, table};
    BlockedWaiter filler;
};

TEST_F(FullTable, BlockThrows) {
    fill();

    expect_no_memory([&] { (void)block(Tokens::Take(tokens)); });

    EXPECT_EQ(table.size(), 1u);
}

TEST_F(FullTable, AwaitThrows) {
    fill();
    EventLoop loop;

    expect_no_memory([&] { loop.run_until(take(tokens)); });
}

TEST_F(FullTable, PromiseOfThrows) {
    fill();
    EventLoop loop;

    expect_no_memory([&] { static_cast<void>(promise_of(Tokens::Take(tokens))); });
    loop.run();
}

TEST_F(FullTable, SelectThrows) {
    fill();

    expect_no_memory([&] { static_cast<void>(futon::select(Tokens::Take(tokens), Tokens::Take(others))); });
}

TEST_F(FullTable, SelectAsyncThrows) {
    fill();
    EventLoop loop;

    expect_no_memory([&] { loop.run_until(select_of(tokens, others)); });
}

TEST_F(FullTable, SelectLeavesTheQueuesThatItHadEntered) {
    expect_no_memory([&] { static_cast<void>(futon::select(Tokens::Take(tokens), Tokens::Take(others))); });

    EXPECT_EQ(table.size(), 0u);
}

TEST_F(FullTable, DoesNotKeepATryFromSucceeding) {
    fill();
    tokens.release();

    EXPECT_EQ(block(Tokens::Take(tokens)), WaitResult::ok);
}

TEST_F(FullTable, BlockPassesAWakeUpOnForWhichItCannotWaitAgain) {
    const auto wake_and_fill = [&](BlockedWaiter& waiter, WaitQueues&, const futon::core::Until&) {
        tokens.wake_in_vain();
        fill();
        waiter.park();
        return std::optional(waiter.result());
    };

    expect_no_memory([&] { (void)block(Tokens::Take(tokens), {}, wake_and_fill); });

    EXPECT_EQ(tokens.passed_on, 1);
}

TEST_F(FullTable, AwaitPassesAWakeUpOnForWhichItCannotWaitAgain) {
    EventLoop loop;
    auto promise = take(tokens);
    tokens.wake_in_vain();
    fill();

    expect_no_memory([&] { loop.run_until(promise); });

    EXPECT_EQ(tokens.passed_on, 1);
}

TEST_F(FullTable, PromiseOfPassesAWakeUpOnForWhichItCannotWaitAgain) {
    EventLoop loop;
    auto promise = promise_of(Tokens::Take(tokens));
    tokens.wake_in_vain();
    fill();

    expect_no_memory([&] { loop.run_until(promise); });

    EXPECT_EQ(tokens.passed_on, 1);
}

TEST_F(FullTable, SelectAsyncPassesAWakeUpOnForWhichItCannotWaitAgain) {
    table.set_capacity(2);
    EventLoop loop;
    auto promise = select_of(tokens, others);
    tokens.wake_in_vain();
    fill();

    expect_no_memory([&] { loop.run_until(promise); });

    EXPECT_EQ(tokens.passed_on, 1);
}

}  // namespace
