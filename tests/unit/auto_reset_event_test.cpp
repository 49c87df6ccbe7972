// SPDX-License-Identifier: MIT
#include <chrono>
#include <optional>
#include <thread>
#include <variant>

#include <futon/futon.hpp>

#include "support/coroutines.hpp"
#include "support/gtest.hpp"
#include "support/waiting.hpp"
#include "support/waiting_coroutines.hpp"

namespace {

using namespace std::chrono_literals;
using futon::AutoResetEvent;
using futon::EventLoop;
using futon::Promise;
using futon::promise_of;
using futon::WaitResult;
using futon::test::OwnedCoroutine;
using futon::test::until_waiting;
using futon::test::wait_owned;
using futon::test::waiting_at;

TEST(AutoResetEvent, IsTakenByOne) {
    AutoResetEvent event(true);

    EXPECT_TRUE(event.try_wait());
    EXPECT_FALSE(event.try_wait());
    event.set();
    EXPECT_EQ(event.wait(), WaitResult::ok);
    EXPECT_EQ(event.wait(1ms), WaitResult::timed_out);
}

TEST(AutoResetEvent, IsRememberedOnce) {
    AutoResetEvent event;

    event.set();
    event.set();

    EXPECT_TRUE(event.try_wait());
    EXPECT_FALSE(event.try_wait());
}

TEST(AutoResetEvent, ForgetsASignalThatIsReset) {
    AutoResetEvent event;
    event.set();
    event.reset();
    event.reset();
    EXPECT_FALSE(event.try_wait());
}

TEST(AutoResetEvent, ReleasesOneForEachSetInTheOrderInWhichTheyCame) {
    EventLoop loop;
    AutoResetEvent event;
    auto first = promise_of(event.waiting());
    std::optional<WaitResult> second;
    const OwnedCoroutine coroutine = wait_owned(event, second);
    WaitResult blocked = WaitResult::timed_out;
    {
        std::jthread thread([&] { blocked = event.wait(); });
        until_waiting(event, 3);

        event.set();
        EXPECT_FALSE(event.try_wait());  // it is the first waiter's already
        loop.poll();
        EXPECT_TRUE(first.is_settled());
        EXPECT_FALSE(second);

        event.set();
        loop.poll();
        EXPECT_EQ(second, WaitResult::ok);
        EXPECT_EQ(waiting_at(event), 1u);

        event.set();
    }
    EXPECT_EQ(blocked, WaitResult::ok);
    EXPECT_FALSE(event.try_wait());
}

TEST(AutoResetEvent, PassesASelectThatIsOver) {
    EventLoop loop;
    AutoResetEvent first;
    AutoResetEvent second;
    auto select = [&]() -> Promise<std::size_t> {
        co_return (co_await futon::select_async(first.waiting(), second.waiting())).index();
    };
    auto selected = select();
    auto behind = promise_of(second.waiting());

    first.set();
    second.set();

    EXPECT_EQ(loop.run_until(selected), 0u);
    EXPECT_EQ(loop.run_until(behind), WaitResult::ok);
    EXPECT_FALSE(second.try_wait());
}

}  // namespace
