// SPDX-License-Identifier: MIT
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include <futon/futon.hpp>

#include "support/channel_items.hpp"
#include "support/coroutines.hpp"
#include "support/gtest.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using futon::Channel;
using futon::ChannelResult;
using futon::EventLoop;
using futon::Promise;
using futon::test::item;
using futon::test::Item;
using futon::test::OwnedCoroutine;
using futon::test::until_waiting;
using futon::test::waiting_at;

Promise<int> receive_all(Channel<Item>& channel, std::vector<int>& values) {
    while (auto received = co_await channel.receive_async()) values.push_back(**received);
    co_return static_cast<int>(values.size());
}

Promise<ChannelResult> send_numbers(Channel<Item>& channel, int count) {
    for (int i = 0; i < count; ++i) {
        auto sent = co_await channel.send_async(item(i));
        if (!sent) co_return sent.result();
    }
    channel.close();
    co_return ChannelResult::ok;
}

OwnedCoroutine receive_owned(Channel<Item>& channel, std::optional<ChannelResult>& result, int& value) {
    auto received = co_await channel.receive_async();
    if (received) value = **received;
    result = received.result();
}

OwnedCoroutine send_owned(Channel<Item>& channel, int value, std::optional<ChannelResult>& result) {
    result = (co_await channel.send_async(item(value))).result();
}

class ChannelAsync : public testing::TestWithParam<std::size_t> {
protected:
    std::optional<EventLoop> loop{std::in_place};
    Channel<Item> channel{GetParam()};
    std::vector<int> values;
    std::optional<ChannelResult> result;
    int value = 0;
};

TEST_P(ChannelAsync, TwoCoroutinesOfOneLoopPassItems) {
    auto sent = send_numbers(channel, 20);
    auto received = receive_all(channel, values);

    EXPECT_EQ(loop->run_until(received), 20);
    EXPECT_EQ(loop->run_until(sent), ChannelResult::ok);
    for (int i = 0; i < 20; ++i) EXPECT_EQ(values[static_cast<std::size_t>(i)], i);
}

TEST_P(ChannelAsync, AThreadSendsToALoop) {
    std::jthread sender([&] {
        for (int i = 0; i < 100; ++i) EXPECT_TRUE(channel.send(item(i)));
        channel.close();
    });
    auto received = receive_all(channel, values);
    EXPECT_EQ(loop->run_until(received), 100);
}

TEST_P(ChannelAsync, ALoopSendsToAThread) {
    int sum = 0;
    std::jthread receiver([&] {
        for (const Item& each : channel.items()) sum += *each;
    });
    auto sent = send_numbers(channel, 100);
    EXPECT_EQ(loop->run_until(sent), ChannelResult::ok);
    receiver.join();
    EXPECT_EQ(sum, 4950);
}

TEST_P(ChannelAsync, AnItemOfADestroyedReceiverGoesToTheNext) {
    OwnedCoroutine first = receive_owned(channel, result, value);
    auto second = receive_all(channel, values);
    EXPECT_TRUE(channel.try_send(item(1)));

    first.destroy();
    EXPECT_EQ(waiting_at(channel), 0u);
    channel.close();

    EXPECT_EQ(loop->run_until(second), 1);
    EXPECT_EQ(values, (std::vector{1}));
}

TEST_P(ChannelAsync, ItemsOfDestroyedReceiversReturnToTheirPlaces) {
    OwnedCoroutine first = receive_owned(channel, result, value);
    OwnedCoroutine second = receive_owned(channel, result, value);
    OwnedCoroutine third = receive_owned(channel, result, value);
    for (int i = 1; i <= 3; ++i) EXPECT_TRUE(channel.try_send(item(i)));
    OwnedCoroutine sender = send_owned(channel, 4, result);

    second.destroy();
    third.destroy();
    first.destroy();

    for (int i = 1; i <= 4; ++i) {
        auto received = channel.try_receive();
        ASSERT_TRUE(received) << i;
        EXPECT_EQ(**received, i);
    }
    EXPECT_EQ(channel.try_receive().result(), ChannelResult::would_block);
    loop->poll();
    EXPECT_EQ(result, ChannelResult::ok);
}

TEST_P(ChannelAsync, WhatReturnedIsReceivedAfterAClose) {
    OwnedCoroutine receiver = receive_owned(channel, result, value);
    EXPECT_TRUE(channel.try_send(item(1)));
    channel.close();
    receiver.destroy();

    EXPECT_EQ(channel.size(), 1u);
    EXPECT_EQ(**channel.try_receive(), 1);
    EXPECT_EQ(channel.try_receive().result(), ChannelResult::closed);
}

TEST_P(ChannelAsync, WhatNoReceiverTakesBackIsDestroyedWithTheChannel) {
    const auto counted = std::make_shared<int>(0);
    {
        Channel<std::shared_ptr<int>> shared(GetParam());
        std::vector<Promise<futon::Received<std::shared_ptr<int>>>> promises;
        for (int i = 0; i < 3; ++i) promises.push_back(futon::promise_of(shared.receiving()));
        for (int i = 0; i < 3; ++i) EXPECT_TRUE(shared.try_send(counted));
        promises.clear();
        loop->poll();
        EXPECT_EQ(shared.size(), 3u);
    }
    EXPECT_EQ(counted.use_count(), 1);
}

TEST_P(ChannelAsync, ASendWhoseItemWasTakenHasHappened) {
    while (channel.try_send(item(0))) {
    }
    OwnedCoroutine sender = send_owned(channel, 1, result);
    auto received = channel.try_receive();
    ASSERT_TRUE(received);

    sender.destroy();

    if (GetParam() != 0)
        received = [&] {
            auto last = channel.try_receive();
            while (auto next = channel.try_receive()) last = std::move(next);
            return last;
        }();
    EXPECT_EQ(**received, 1);
}

TEST_P(ChannelAsync, ADestroyedSenderSendsNothing) {
    while (channel.try_send(item(0))) {
    }
    OwnedCoroutine sender = send_owned(channel, 1, result);
    EXPECT_EQ(waiting_at(channel), 1u);
    sender.destroy();
    EXPECT_EQ(waiting_at(channel), 0u);

    while (auto received = channel.try_receive()) EXPECT_EQ(**received, 0);
}

TEST_P(ChannelAsync, APromiseOfASendGivesTheItemBack) {
    while (channel.try_send(item(0))) {
    }
    auto sending = futon::promise_of(channel.sending(item(7)));
    channel.close();

    auto sent = loop->run_until(std::move(sending));

    EXPECT_EQ(sent.result(), ChannelResult::closed);
    EXPECT_EQ(*sent.item(), 7);
}

TEST_P(ChannelAsync, ADroppedPromiseTakesNothing) {
    {
        const auto receiving = futon::promise_of(channel.receiving());
        EXPECT_EQ(waiting_at(channel), 1u);
    }
    EXPECT_EQ(waiting_at(channel), 0u);
    {
        const auto receiving = futon::promise_of(channel.receiving());
        EXPECT_TRUE(channel.try_send(item(1)));
        static_cast<void>(channel.try_send(item(2)));
    }
    auto received = channel.try_receive();
    ASSERT_TRUE(received) << "it is back before the loop runs";
    EXPECT_EQ(**received, 1);
    EXPECT_FALSE(loop->poll());
}

TEST_P(ChannelAsync, AnItemOfALoopThatEndsReturns) {
    OwnedCoroutine receiver = receive_owned(channel, result, value);
    OwnedCoroutine waiting = receive_owned(channel, result, value);
    EXPECT_TRUE(channel.try_send(item(1)));
    OwnedCoroutine sender = send_owned(channel, 2, result);  // meets the other receiver, whose loop ends as well

    loop.reset();

    EXPECT_EQ(waiting_at(channel), 0u);
    EXPECT_EQ(result, ChannelResult::cancelled);
    EXPECT_EQ(**channel.try_receive(), 1);
    EXPECT_EQ(**channel.try_receive(), 2);
}

TEST_P(ChannelAsync, ASenderOfALoopThatEndsKeepsItsItemUnlessItWasTaken) {
    while (channel.try_send(item(0))) {
    }
    std::optional<ChannelResult> other;
    OwnedCoroutine taken = send_owned(channel, 1, result);
    OwnedCoroutine left = send_owned(channel, 2, other);
    EXPECT_TRUE(channel.try_receive());

    loop.reset();

    EXPECT_EQ(result, ChannelResult::ok);
    EXPECT_EQ(other, ChannelResult::cancelled);
}

TEST_P(ChannelAsync, DeadlinesAndStopsEndWaits) {
    std::stop_source source;
    auto run = [&]() -> Promise<void> {
        while (channel.try_send(item(0))) {
        }
        auto late = co_await channel.send_async(item(5), 1ms);
        EXPECT_EQ(late.result(), ChannelResult::timed_out);
        EXPECT_EQ(*late.item(), 5);
        EXPECT_THROW((void)futon::SendResult<Item>().item(), std::bad_optional_access);
        source.request_stop();
        EXPECT_EQ((co_await channel.send_async(item(5), source.get_token())).result(), ChannelResult::cancelled);
        while (channel.try_receive()) {
        }
        EXPECT_EQ((co_await channel.receive_async(1ms)).result(), ChannelResult::timed_out);
        EXPECT_EQ((co_await channel.receive_async(source.get_token())).result(), ChannelResult::cancelled);
        channel.close();
        EXPECT_EQ((co_await channel.receive_async({0ms, source.get_token()})).result(), ChannelResult::closed);
    };
    const auto ran = run();
    loop->run_until(ran);
}

INSTANTIATE_TEST_SUITE_P(Capacities, ChannelAsync, testing::Values(0, 1, 2, 7));

}  // namespace
