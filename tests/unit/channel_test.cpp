// SPDX-License-Identifier: MIT
#include <chrono>
#include <cstddef>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <futon/futon.hpp>

#include "support/channel_items.hpp"
#include "support/gtest.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using futon::Channel;
using futon::ChannelResult;
using futon::test::item;
using futon::test::Item;
using futon::test::until_waiting;
using futon::test::waiting_at;

/// What a channel holds, in order.
std::vector<int> drain(Channel<Item>& channel) {
    std::vector<int> values;
    while (auto received = channel.try_receive()) values.push_back(**received);
    return values;
}

/// A receiver that is blocked.
class BlockedReceiver {
public:
    explicit BlockedReceiver(Channel<Item>& channel, std::size_t waiting = 1)
        : thread_([&] { received_.emplace(channel.receive()); }) {
        until_waiting(channel, waiting);
    }
    futon::Received<Item>& received() {
        thread_.join();
        return *received_;
    }

private:
    std::optional<futon::Received<Item>> received_;
    std::jthread thread_;
};

/// A sender that is blocked.
class BlockedSender {
public:
    BlockedSender(Channel<Item>& channel, int value, std::size_t waiting = 1)
        : item_(item(value)), thread_([&] { result_ = channel.send(std::move(item_)).result(); }) {
        until_waiting(channel, waiting);
    }
    ChannelResult result() {
        thread_.join();
        return result_;
    }
    const Item& kept() const { return item_; }

private:
    Item item_;
    ChannelResult result_ = ChannelResult::would_block;
    std::jthread thread_;
};

static_assert(!std::is_move_constructible_v<Channel<int>> && !std::is_move_assignable_v<Channel<int>>);
static_assert(futon::core::Operation<Channel<Item>::Sending> && futon::core::Operation<Channel<Item>::Receiving>);
#if defined(__x86_64__) || defined(__aarch64__)
static_assert(sizeof(Channel<Item>) == 64, "as the documentation says");
#endif

TEST(Channel, KeepsItemsInOrder) {
    Channel<Item> channel(3);
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(channel.try_send(item(i)));
    EXPECT_EQ(channel.size(), 3u);
    EXPECT_EQ(**channel.try_receive(), 0);
    EXPECT_TRUE(channel.send(item(3)));

    EXPECT_EQ(drain(channel), (std::vector{1, 2, 3}));
    EXPECT_EQ(channel.size(), 0u);
}

TEST(Channel, ATryOnAFullChannelLeavesTheItem) {
    Channel<Item> channel(1);
    EXPECT_TRUE(channel.try_send(item(1)));
    Item kept = item(2);

    EXPECT_EQ(channel.try_send(std::move(kept)).result(), ChannelResult::would_block);

    ASSERT_NE(kept, nullptr);
    EXPECT_EQ(*kept, 2);
}

TEST(Channel, ATryOnAnEmptyChannelWouldBlock) {
    Channel<Item> channel(1);
    EXPECT_EQ(channel.try_receive().result(), ChannelResult::would_block);
    EXPECT_THROW((void)channel.try_receive().value(), std::bad_optional_access);
}

TEST(Channel, WhatSendAndReceiveYieldComparesWithAChannelResult) {
    futon::Channel<int> channel(1);

    EXPECT_TRUE(channel.try_receive() == ChannelResult::would_block);
    EXPECT_TRUE(channel.try_send(1) == ChannelResult::ok);
    EXPECT_TRUE(channel.try_send(2) != ChannelResult::ok);
    EXPECT_TRUE(ChannelResult::ok == channel.receive());
    EXPECT_TRUE(futon::SendResult<int>(ChannelResult::closed, 3) == ChannelResult::closed);
}

TEST(Channel, CopiesWhatIsNotGivenAway) {
    Channel<std::string> channel(2);
    const std::string text = "text";
    EXPECT_TRUE(channel.try_send(text));
    EXPECT_TRUE(channel.send(text));
    EXPECT_EQ(*channel.try_receive(), text);
    EXPECT_EQ(channel.try_receive()->size(), 4u);
}

TEST(Channel, ARendezvousEndsWhenBothHaveMet) {
    Channel<Item> channel;
    EXPECT_EQ(channel.try_send(item(1)).result(), ChannelResult::would_block);
    BlockedReceiver receiver(channel);

    EXPECT_TRUE(channel.try_send(item(2)));

    EXPECT_EQ(**receiver.received(), 2);
    BlockedSender sender(channel, 3);
    EXPECT_EQ(**channel.try_receive(), 3);
    EXPECT_EQ(sender.result(), ChannelResult::ok);
    EXPECT_EQ(sender.kept(), nullptr);
}

TEST(Channel, ServesReceiversInOrder) {
    Channel<Item> channel(4);
    BlockedReceiver first(channel, 1);
    BlockedReceiver second(channel, 2);

    EXPECT_TRUE(channel.send(item(1)));
    EXPECT_TRUE(channel.send(item(2)));

    EXPECT_EQ(**first.received(), 1);
    EXPECT_EQ(**second.received(), 2);
}

TEST(Channel, AReceiveMakesRoomForTheFirstSender) {
    Channel<Item> channel(1);
    EXPECT_TRUE(channel.send(item(0)));
    BlockedSender first(channel, 1, 1);
    BlockedSender second(channel, 2, 2);

    EXPECT_EQ(**channel.receive(), 0);
    EXPECT_EQ(first.result(), ChannelResult::ok);
    EXPECT_EQ(waiting_at(channel), 1u);

    EXPECT_EQ(drain(channel), (std::vector{1, 2}));
    EXPECT_EQ(second.result(), ChannelResult::ok);
}

TEST(Channel, CloseEndsSendersAndLeavesThemTheirItems) {
    Channel<Item> channel(1);
    EXPECT_TRUE(channel.send(item(0)));
    BlockedSender sender(channel, 1);

    channel.close();

    EXPECT_EQ(sender.result(), ChannelResult::closed);
    EXPECT_EQ(*sender.kept(), 1);
    Item late = item(2);
    EXPECT_EQ(channel.send(std::move(late)).result(), ChannelResult::closed);
    EXPECT_EQ(channel.try_send(std::move(late)).result(), ChannelResult::closed);
    EXPECT_EQ(*late, 2);
}

TEST(Channel, ReceiversGetWhatWasSentBeforeTheClose) {
    Channel<Item> channel(2);
    EXPECT_TRUE(channel.send(item(1)));
    channel.close();
    channel.close();
    EXPECT_TRUE(channel.is_closed());

    EXPECT_EQ(**channel.receive(), 1);
    EXPECT_EQ(channel.receive().result(), ChannelResult::closed);
    EXPECT_EQ(channel.try_receive().result(), ChannelResult::closed);
}

TEST(Channel, NothingIsSentAfterTheCloseWhereThereIsRoom) {
    Channel<Item> channel(2);
    Item kept = item(1);

    channel.close();

    EXPECT_EQ(channel.try_send(std::move(kept)).result(), ChannelResult::closed);
    EXPECT_EQ(channel.send(std::move(kept)).result(), ChannelResult::closed);
    EXPECT_EQ(*kept, 1);
    EXPECT_EQ(channel.size(), 0u);
}

TEST(Channel, CloseEndsReceivers) {
    Channel<Item> channel(1);
    BlockedReceiver first(channel, 1);
    BlockedReceiver second(channel, 2);

    channel.close();

    EXPECT_EQ(first.received().result(), ChannelResult::closed);
    EXPECT_EQ(second.received().result(), ChannelResult::closed);
}

TEST(Channel, ARangeEndsWithTheChannel) {
    Channel<Item> channel(2);
    std::jthread sender([&] {
        for (int i = 0; i < 100; ++i) EXPECT_TRUE(channel.send(item(i)));
        channel.close();
    });

    int expected = 0;
    for (Item& received : channel.items()) EXPECT_EQ(*received, expected++);

    EXPECT_EQ(expected, 100);
}

TEST(Channel, ARangeEndsWithAStop) {
    Channel<Item> channel(2);
    std::stop_source source;
    EXPECT_TRUE(channel.send(item(1)));
    int received = 0;

    for (const Item& each : channel.items(source.get_token())) {
        received += *each;
        source.request_stop();
    }

    EXPECT_EQ(received, 1);
}

TEST(Channel, ARangeThatIsStoppedEndsAtOnceAndLeavesTheItems) {
    Channel<Item> channel(3);
    std::stop_source source;
    for (int i = 1; i <= 3; ++i) EXPECT_TRUE(channel.send(item(i)));
    int received = 0;

    for (const Item& each : channel.items(source.get_token())) {
        received += *each;
        source.request_stop();
    }
    for (const Item& each : channel.items(source.get_token())) received += *each;

    EXPECT_EQ(received, 1);
    EXPECT_EQ(channel.size(), 2u);
}

TEST(Channel, ADeadlineEndsAWaitAndLeavesTheItem) {
    Channel<Item> channel;
    Item kept = item(1);
    EXPECT_EQ(channel.send(std::move(kept), 1ms).result(), ChannelResult::timed_out);
    EXPECT_EQ(*kept, 1);
    EXPECT_EQ(channel.receive(1ms).result(), ChannelResult::timed_out);
    EXPECT_EQ(waiting_at(channel), 0u);

    // What the waiters noted in the channel does not keep others apart.
    BlockedReceiver receiver(channel);
    EXPECT_TRUE(channel.send(std::move(kept)));
    EXPECT_EQ(**receiver.received(), 1);
}

TEST(Channel, AStopEndsAWaitAndLeavesTheItem) {
    Channel<Item> channel;
    std::stop_source source;
    Item kept = item(1);
    ChannelResult sent = ChannelResult::ok;
    std::jthread sender([&] { sent = channel.send(std::move(kept), source.get_token()).result(); });
    until_waiting(channel, 1);
    source.request_stop();
    sender.join();

    EXPECT_EQ(sent, ChannelResult::cancelled);
    EXPECT_EQ(*kept, 1);
    EXPECT_EQ(channel.receive(source.get_token()).result(), ChannelResult::cancelled);
}

TEST(Channel, WhatIsReadyBeatsLimitsThatAreDue) {
    Channel<Item> channel(1);
    std::stop_source source;
    source.request_stop();

    EXPECT_TRUE(channel.send(item(1), {futon::Deadline(0ms), source.get_token()}));
    EXPECT_EQ(**channel.receive({futon::Deadline(0ms), source.get_token()}), 1);
    channel.close();
    EXPECT_EQ(channel.receive(source.get_token()).result(), ChannelResult::closed);
}

TEST(Channel, BlockingIsForbiddenThoughNothingWouldHaveToWait) {
    const futon::Agent agent(futon::CanBlock::no);
    Channel<Item> channel(2);
    Item kept = item(1);

    EXPECT_THROW((void)channel.send(std::move(kept)), futon::BlockingForbidden);
    ASSERT_NE(kept, nullptr);
    EXPECT_TRUE(channel.try_send(std::move(kept)));
    EXPECT_THROW((void)channel.receive(), futon::BlockingForbidden);

    EXPECT_EQ(drain(channel), (std::vector{1}));
}

TEST(Channel, ACapacityThatNoMemoryCouldHoldIsRefused) {
    constexpr auto most = static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max());
    EXPECT_THROW(Channel<Item>{std::numeric_limits<std::size_t>::max()}, std::length_error);
    EXPECT_THROW(Channel<Item>{most / sizeof(Item) + 1}, std::length_error);
}

TEST(Channel, DestroysWhatNoReceiverTook) {
    const auto counted = std::make_shared<int>(0);
    {
        Channel<std::shared_ptr<int>> channel(3);
        for (int i = 0; i < 3; ++i) EXPECT_TRUE(channel.send(counted));
        EXPECT_TRUE(channel.try_receive());
        EXPECT_EQ(counted.use_count(), 3);
    }
    EXPECT_EQ(counted.use_count(), 1);
}

}  // namespace
