// SPDX-License-Identifier: MIT
#include <chrono>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <stop_token>
#include <thread>

#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::duration<double, std::milli>;
using futon::Agent;
using futon::BlockingForbidden;
using futon::CanBlock;
using futon::EventLoop;
using futon::Int32Array;
using futon::SharedArrayBuffer;
using futon::WaitResult;
using futon::test::until_waiting;
using futon::test::waiting_at;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(Validation, AtThrowsForAnIndexOutsideTheView) {
    const Int32Array words(SharedArrayBuffer(8));

    EXPECT_THROW(words.at(2), std::out_of_range);
}

TEST(Validation, AtAcceptsEveryIndexInsideTheView) {
    const Int32Array words(SharedArrayBuffer(8));

    EXPECT_EQ(wait(words.at(1), 1), WaitResult::not_equal);
}

TEST(Validation, AtAcceptsAnIndexAddedByGrow) {
    SharedArrayBuffer buffer(4, 8);
    const Int32Array words(buffer);
    EXPECT_THROW(words.at(1), std::out_of_range);

    buffer.grow(8);

    EXPECT_NO_THROW(words.at(1));
}

TEST(Validation, ZeroAndNegativeTimeoutsTimeOutAtOnce) {
    const Int32Array words(SharedArrayBuffer(4));

    for (const double timeout : {0.0, -0.0, -1.0, -1e300, -infinity})
        EXPECT_EQ(wait(words[0], 0, Milliseconds(timeout)), WaitResult::timed_out) << timeout;
}

TEST(Validation, NanAndInfiniteTimeoutsNeverSettleAPromise) {
    EventLoop loop;
    const Int32Array words(SharedArrayBuffer(4));

    for (const double timeout : {nan, infinity, 1e300}) {
        auto answer = wait_async(words[0], 0, Milliseconds(timeout));
        ASSERT_TRUE(answer.async());
        loop.poll();
        EXPECT_FALSE(answer.promise().is_settled());
        EXPECT_EQ(notify(words[0]), 1u);
    }
}

TEST(Validation, NanAndInfiniteTimeoutsBlockUntilNotified) {
    const Int32Array words(SharedArrayBuffer(4));

    for (const double timeout : {nan, infinity, 1e300}) {
        const std::jthread waiter([&] { EXPECT_EQ(wait(words[0], 0, Milliseconds(timeout)), WaitResult::ok); });
        until_waiting(words[0], 1);
        EXPECT_EQ(notify(words[0]), 1u);
    }
}

TEST(Validation, TimeoutsMayBeFractionsOfAMillisecond) {
    const Int32Array words(SharedArrayBuffer(4));
    const auto begin = Clock::now();

    const WaitResult result = wait(words[0], 0, Milliseconds(1.5));

    EXPECT_EQ(result, WaitResult::timed_out);
    EXPECT_GE(Clock::now() - begin, Milliseconds(1.5));
}

TEST(Validation, ForbiddenWaitThrowsWithoutEnqueueing) {
    const Int32Array words(SharedArrayBuffer(4));
    const Agent main_thread(CanBlock::no);

    EXPECT_THROW(wait(words[0], 0), BlockingForbidden);
    EXPECT_EQ(waiting_at(words[0]), 0u);
}

TEST(Validation, ForbiddenWaitThrowsEvenWhenNotEqual) {
    const Int32Array words(SharedArrayBuffer(4));
    const Agent main_thread(CanBlock::no);

    EXPECT_THROW(wait(words[0], 1), BlockingForbidden);
}

TEST(Validation, ForbiddenWaitThrowsEvenWithATimeoutOfZero) {
    const Int32Array words(SharedArrayBuffer(4));
    const Agent main_thread(CanBlock::no);

    EXPECT_THROW(wait(words[0], 0, 0ms), BlockingForbidden);
}

TEST(Validation, ForbiddenWaitThrowsEvenWhenStopped) {
    const Int32Array words(SharedArrayBuffer(4));
    const Agent main_thread(CanBlock::no);
    std::stop_source source;
    source.request_stop();

    EXPECT_THROW(wait(words[0], 0, source.get_token()), BlockingForbidden);
}

TEST(Validation, WaitThrowsOnAnEventLoop) {
    const EventLoop loop;
    const Int32Array words(SharedArrayBuffer(4));

    EXPECT_THROW(wait(words[0], 0), BlockingForbidden);
}

TEST(Validation, WaitAsyncWorksOnAnAgentThatMayNotBlock) {
    const EventLoop loop;
    const Int32Array words(SharedArrayBuffer(4));

    EXPECT_TRUE(wait_async(words[0], 0).async());
}

TEST(Validation, WaitAsyncThrowsWithoutAnExecutorEvenWhenNotEqual) {
    const Int32Array words(SharedArrayBuffer(4));

    EXPECT_THROW(static_cast<void>(wait_async(words[0], 1)), futon::NoExecutor);
}

}  // namespace
