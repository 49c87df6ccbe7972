// SPDX-License-Identifier: MIT
#include <cstddef>
#include <optional>
#include <system_error>

#include <futon/futon.hpp>
#include <futon/select.hpp>

#include "support/coroutines.hpp"
#include "support/gtest.hpp"
#include "support/tokens.hpp"
#include "support/waiting.hpp"

namespace {

using futon::EventLoop;
using futon::Promise;
using futon::select_async;
using futon::test::OwnedCoroutine;
using futon::test::Tokens;
using futon::test::waiting_at;

Promise<std::size_t> select_either(Tokens& first, Tokens& second) {
    const auto chosen = co_await select_async(Tokens::Take(first), Tokens::Take(second));
    co_return chosen.index();
}

OwnedCoroutine select_owned(Tokens& first, Tokens& second, std::error_code& error) {
    try {
        static_cast<void>(co_await select_async(Tokens::Take(first), Tokens::Take(second)));
    } catch (const std::system_error& caught) {
        error = caught.code();
    }
}

/// A select whose coroutine is destroyed, or whose loop ends.
class SelectAsyncEnd : public testing::Test {
protected:
    std::size_t all_waiting() const { return waiting_at(one) + waiting_at(other); }

    Tokens one;
    Tokens other;
    std::optional<EventLoop> loop{std::in_place};
    std::error_code error;
};

TEST_F(SelectAsyncEnd, LeavesItsQueuesWhenTheCoroutineIsDestroyed) {
    OwnedCoroutine coroutine = select_owned(one, other, error);

    coroutine.destroy();

    EXPECT_EQ(all_waiting(), 0u);
    EXPECT_EQ(one.passed_on + other.passed_on, 0);
}

TEST_F(SelectAsyncEnd, PassesItsWakeUpOnWhenTheCoroutineIsDestroyed) {
    OwnedCoroutine coroutine = select_owned(one, other, error);
    auto next = select_either(one, other);
    other.release();

    coroutine.destroy();

    EXPECT_EQ(other.passed_on, 1);
    EXPECT_EQ(loop->run_until(next), 1u);
}

TEST_F(SelectAsyncEnd, GivesBackWhatWasHandedOffWhenTheCoroutineIsDestroyed) {
    OwnedCoroutine coroutine = select_owned(one, other, error);
    other.hand_off();

    coroutine.destroy();

    EXPECT_EQ(other.given_back, 1);
    EXPECT_EQ(all_waiting(), 0u);
}

TEST_F(SelectAsyncEnd, LeavesItsQueuesWhenItsAgentEnds) {
    const auto promise = select_either(one, other);

    loop.reset();

    EXPECT_EQ(all_waiting(), 0u);
    EXPECT_EQ(one.passed_on + other.passed_on, 0);
}

TEST_F(SelectAsyncEnd, GivesBackWhatWasHandedOffWhenItsAgentEnds) {
    const auto promise = select_either(one, other);
    one.hand_off();

    loop.reset();

    EXPECT_EQ(one.given_back, 1);
    EXPECT_EQ(all_waiting(), 0u);
}

TEST_F(SelectAsyncEnd, ThrowsInAForeignCoroutineWhenItsAgentEnds) {
    const OwnedCoroutine coroutine = select_owned(one, other, error);

    loop.reset();

    EXPECT_EQ(error, std::errc::operation_canceled);
    EXPECT_TRUE(coroutine.is_done());
    EXPECT_EQ(all_waiting(), 0u);
}

TEST_F(SelectAsyncEnd, PassesItsWakeUpOnWhenTheAgentOfAForeignCoroutineEnds) {
    const OwnedCoroutine coroutine = select_owned(one, other, error);
    one.release();

    loop.reset();

    EXPECT_EQ(error, std::errc::operation_canceled);
    EXPECT_EQ(one.passed_on, 1);
}

}  // namespace
