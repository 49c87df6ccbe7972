// SPDX-License-Identifier: MIT
#include <chrono>
#include <optional>
#include <thread>
#include <vector>

#include <futon/futon.hpp>

#include "support/coroutines.hpp"
#include "support/gtest.hpp"
#include "support/waiting.hpp"
#include "support/waiting_coroutines.hpp"

namespace {

using namespace std::chrono_literals;
using futon::Event;
using futon::EventLoop;
using futon::promise_of;
using futon::WaitResult;
using futon::test::OwnedCoroutine;
using futon::test::until_waiting;
using futon::test::wait_owned;
using futon::test::waiting_at;

TEST(Event, IsNotSetAtFirstUnlessToldSo) {
    Event event;
    EXPECT_FALSE(event.is_set());
    EXPECT_FALSE(event.try_wait());

    const Event set_at_first(true);
    EXPECT_TRUE(set_at_first.is_set());
}

TEST(Event, StaysSetUntilItIsReset) {
    Event event;

    event.set();
    event.set();
    EXPECT_TRUE(event.try_wait());
    EXPECT_TRUE(event.try_wait());
    EXPECT_EQ(event.wait(), WaitResult::ok);

    event.reset();
    event.reset();
    EXPECT_FALSE(event.try_wait());
    EXPECT_EQ(event.wait(1ms), WaitResult::timed_out);
}

TEST(Event, ReleasesThoseThatAreQueuedThoughItIsResetAtOnce) {
    EventLoop loop;
    Event event;
    auto first = promise_of(event.waiting());
    std::optional<WaitResult> second;
    const OwnedCoroutine coroutine = wait_owned(event, second);
    std::vector<WaitResult> blocked(2, WaitResult::timed_out);
    {
        const std::jthread a([&] { blocked[0] = event.wait(); });
        const std::jthread b([&] { blocked[1] = event.wait(); });
        until_waiting(event, 4);

        event.set();
        event.reset();
    }
    auto late = promise_of(event.waiting());
    loop.poll();

    EXPECT_EQ(blocked, std::vector<WaitResult>(2, WaitResult::ok));
    EXPECT_TRUE(first.is_settled());
    EXPECT_EQ(second, WaitResult::ok);
    EXPECT_FALSE(late.is_settled());
    EXPECT_EQ(waiting_at(event), 1u);
}

TEST(Event, OrdersWhatCameBeforeASetOfASetEventBeforeWhatFollowsAReset) {
    Event event(true);
    int data = 0;
    {
        const std::jthread setter([&] {
            data = 1;
            event.set();
            event.set();
        });
    }
    event.reset();

    EXPECT_EQ(data, 1);
    EXPECT_FALSE(event.is_set());
}

}  // namespace
