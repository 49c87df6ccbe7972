// SPDX-License-Identifier: MIT
#include <atomic>
#include <chrono>
#include <stop_token>
#include <variant>

#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/queue_executor.hpp"
#include "support/tokens.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using futon::Agent;
using futon::AsyncLock;
using futon::EventLoop;
using futon::Otherwise;
using futon::otherwise;
using futon::Promise;
using futon::select;
using futon::select_async;
using futon::stop_requested;
using futon::timeout;
using futon::waiting;
using futon::test::QueueExecutor;
using futon::test::Tokens;
using futon::test::waiting_at;

TEST(SelectDefault, IsChosenWhereNothingIsReady) {
    std::atomic<int> word{0};
    AsyncLock lock;
    lock.lock();

    const auto chosen = select(waiting(word, 0), lock.locking(), timeout(1h), stop_requested({}), otherwise());

    EXPECT_TRUE(std::holds_alternative<Otherwise>(chosen));
    EXPECT_EQ(chosen.index(), 4u);
    EXPECT_EQ(waiting_at(word) + waiting_at(lock), 0u);
    lock.unlock();
}

TEST(SelectDefault, EnqueuesNothing) {
    Tokens tokens;

    static_cast<void>(select(Tokens::Take(tokens), otherwise()));

    EXPECT_EQ(tokens.checks, 0);
}

TEST(SelectDefault, LosesAgainstWhatIsReady) {
    Tokens tokens(100);

    for (int i = 0; i < 100; ++i) EXPECT_EQ(select(Tokens::Take(tokens), otherwise()).index(), 0u);

    EXPECT_EQ(tokens.available(), 0);
}

TEST(SelectDefault, LosesAgainstADueDeadlineAndARequestedStop) {
    Tokens tokens;
    std::stop_source stop;
    stop.request_stop();

    EXPECT_EQ(select(Tokens::Take(tokens), timeout(0ms), otherwise()).index(), 1u);
    EXPECT_EQ(select(Tokens::Take(tokens), timeout(0ms), stop_requested(stop.get_token()), otherwise()).index(), 2u);
}

TEST(SelectDefault, AloneIsChosen) {
    EXPECT_EQ(std::get<0>(select(otherwise())), Otherwise());
}

TEST(SelectDefault, IsAllowedWhereAThreadMayNotBlock) {
    const Agent agent(futon::CanBlock::no);
    Tokens tokens(1);

    EXPECT_EQ(select(Tokens::Take(tokens), otherwise()).index(), 0u);
    EXPECT_EQ(select(Tokens::Take(tokens), otherwise()).index(), 1u);
}

TEST(SelectDefault, IsAllowedInAJobOfALoop) {
    EventLoop loop;
    AsyncLock lock;
    bool is_locked = false;
    loop.post([&] { is_locked = select(lock.locking(), otherwise()).index() == 0; });

    loop.run();

    EXPECT_TRUE(is_locked);
    EXPECT_TRUE(lock.try_lock());
}

TEST(SelectDefault, OfACoroutineGoesOnAtOnce) {
    EventLoop loop;
    Tokens tokens;
    auto choose = [&]() -> Promise<std::size_t> {
        co_return (co_await select_async(Tokens::Take(tokens), timeout(1h), otherwise())).index();
    };

    auto promise = choose();

    EXPECT_TRUE(promise.is_settled());
    EXPECT_EQ(loop.run_until(promise), 2u);
}

TEST(SelectDefault, OfACoroutineNeedsNoExecutorAndNoTimers) {
    Tokens tokens;
    std::size_t index = 0;
    auto choose = [&]() -> Promise<void> {
        index = (co_await select_async(Tokens::Take(tokens), timeout(1h), otherwise())).index();
    };

    EXPECT_TRUE(choose().is_settled());
    EXPECT_EQ(index, 2u);
}

TEST(SelectDefault, AsksWhetherAPromiseHasSettled) {
    EventLoop loop;
    auto [promise, source] = futon::make_promise<int>();

    EXPECT_EQ(select(futon::settled(promise), otherwise()).index(), 1u);
    source.fulfil(7);
    EXPECT_EQ(std::get<0>(select(futon::settled(promise), otherwise())), 7);
}

TEST(SelectDefault, ThrowsForAnOperationThatWasUsed) {
    Tokens tokens(1);

    EXPECT_THROW(static_cast<void>(select(used(tokens), otherwise())), std::logic_error);
}

}  // namespace
