// SPDX-License-Identifier: MIT
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include <futon/futon.hpp>
#include <futon/select.hpp>

#include "support/channel_items.hpp"
#include "support/coroutines.hpp"
#include "support/gtest.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using futon::Channel;
using futon::ChannelResult;
using futon::select;
using futon::select_async;
using futon::test::item;
using futon::test::Item;
using futon::test::OwnedCoroutine;
using futon::test::until_waiting;
using futon::test::waiting_at;

TEST(ChannelSelect, ReceivesFromTheOneThatHasAnItem) {
    Channel<Item> one(1);
    Channel<Item> other(1);
    EXPECT_TRUE(other.send(item(2)));

    auto chosen = select(one.receiving(), other.receiving());

    ASSERT_EQ(chosen.index(), 1u);
    EXPECT_EQ(**std::get<1>(chosen), 2);
}

TEST(ChannelSelect, IsMetWhileItWaits) {
    Channel<Item> one;
    Channel<Item> other;
    std::optional<int> received;
    std::jthread thread([&] {
        auto chosen = select(one.receiving(), other.receiving());
        received = **std::get<1>(chosen);
    });
    until_waiting(one, 1);
    until_waiting(other, 1);

    EXPECT_TRUE(other.try_send(item(5)));
    thread.join();

    EXPECT_EQ(received, 5);
    EXPECT_EQ(one.try_send(item(1)).result(), ChannelResult::would_block);
}

TEST(ChannelSelect, AnItemThatIsNotChosenStaysWithItsSender) {
    Channel<Item> full;
    Channel<Item> ready(1);
    EXPECT_TRUE(ready.send(item(1)));
    Item kept = item(2);

    auto chosen = select(full.sending_from(kept), ready.receiving());

    EXPECT_EQ(chosen.index(), 1u);
    EXPECT_EQ(waiting_at(full), 0u);
    EXPECT_EQ(*kept, 2);
    EXPECT_TRUE(std::get<0>(select(ready.sending_from(kept), full.receiving())));
    EXPECT_EQ(kept, nullptr);
}

TEST(ChannelSelect, IsEndedByAClose) {
    Channel<Item> one;
    Channel<Item> other;
    ChannelResult result = ChannelResult::ok;
    std::optional<Item> kept;
    std::jthread thread([&] {
        auto chosen = select(one.receiving(), other.sending(item(3)));
        result = std::get<1>(chosen).result();
        kept = std::get<1>(std::move(chosen)).item();
    });
    until_waiting(one, 1);
    until_waiting(other, 1);

    other.close();
    thread.join();

    EXPECT_EQ(result, ChannelResult::closed);
    EXPECT_EQ(**kept, 3);
}

TEST(ChannelSelect, DoesNotMeetItselfInOneChannel) {
    Channel<Item> channel;

    const auto chosen =
        select(channel.sending(item(1)), channel.receiving(), channel.sending(item(2)), futon::timeout(1ms));

    EXPECT_EQ(chosen.index(), 3u);
    EXPECT_EQ(waiting_at(channel), 0u);
}

TEST(ChannelSelect, BothSidesOfOneChannelAreMetByOthers) {
    Channel<Item> channel;
    for (const bool sends : {true, false}) {
        std::size_t index = 9;
        int received = 0;
        std::jthread thread([&] {
            auto chosen = select(channel.sending(item(1)), channel.receiving());
            index = chosen.index();
            if (index == 1) received = **std::get<1>(chosen);
        });
        until_waiting(channel, 2);
        if (sends) {
            EXPECT_TRUE(channel.try_send(item(2)));
        } else {
            EXPECT_EQ(**channel.try_receive(), 1);
        }
        thread.join();
        EXPECT_EQ(index, sends ? 1u : 0u);
        EXPECT_EQ(received, sends ? 2 : 0);
    }
}

TEST(ChannelSelect, TwoSelectsOverBothSidesMeet) {
    Channel<Item> channel;
    std::size_t index = 9;
    std::jthread thread([&] { index = select(channel.sending(item(1)), channel.receiving()).index(); });
    until_waiting(channel, 2);

    auto chosen = select(channel.sending(item(2)), channel.receiving());
    thread.join();

    EXPECT_NE(index, chosen.index());
    EXPECT_EQ(waiting_at(channel), 0u);
}

TEST(ChannelSelect, WaitersOfOtherSelectsBehindItsOwnAreMet) {
    Channel<Item> channel;
    std::size_t first = 9;
    std::jthread one([&] { first = select(channel.sending(item(1)), channel.receiving()).index(); });
    until_waiting(channel, 2);
    std::optional<int> got;
    std::jthread other([&] {
        auto received = channel.receive();
        got = **received;
    });
    one.join();
    other.join();
    EXPECT_EQ(first, 0u);
    EXPECT_EQ(got, 1);
}

OwnedCoroutine select_owned(Channel<Item>& one, Channel<Item>& other) {
    static_cast<void>(co_await select_async(one.receiving(), other.receiving()));
}

TEST(ChannelSelect, AnItemOfADestroyedSelectReturns) {
    const futon::EventLoop loop;
    Channel<Item> one;
    Channel<Item> other;
    OwnedCoroutine coroutine = select_owned(one, other);
    EXPECT_TRUE(other.try_send(item(4)));

    coroutine.destroy();

    EXPECT_EQ(**other.try_receive(), 4);
    EXPECT_EQ(waiting_at(one), 0u);
}

TEST(ChannelSelect, ALoopSelectsAmongChannelsUntilBothAreClosed) {
    futon::EventLoop loop;
    Channel<int> one;
    Channel<int> other(2);
    auto sum_all = [&]() -> futon::Promise<int> {
        int sum = 0;
        while (true) {
            auto chosen = co_await select_async(one.receiving(), other.receiving());
            const auto& received = chosen.index() == 0 ? std::get<0>(chosen) : std::get<1>(chosen);
            if (!received) break;  // this one is closed, and nothing is left in it
            sum += *received;
        }
        while (auto received = co_await one.receive_async()) sum += *received;
        while (auto received = co_await other.receive_async()) sum += *received;
        co_return sum;
    };
    std::jthread sender([&] {
        for (int i = 0; i < 50; ++i) EXPECT_TRUE(one.send(1) && other.send(1));
        one.close();
        other.close();
    });
    auto sum = sum_all();
    EXPECT_EQ(loop.run_until(sum), 100);
}

}  // namespace
