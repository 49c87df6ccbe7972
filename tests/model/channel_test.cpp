// SPDX-License-Identifier: MIT
#include <array>
#include <chrono>
#include <cstddef>
#include <optional>
#include <utility>
#include <variant>

#include <futon/futon.hpp>

#include "explore.hpp"

#ifdef FUTON_MODEL_SPINS
#define ModelChannel ModelSpinningChannel  // the same tests in a program where threads spin before they sleep
#endif

namespace {

using namespace std::chrono_literals;
using futon::AsyncLock;
using futon::Channel;
using futon::ChannelResult;
using futon::select;
using futon::explorer::check;
using futon::explorer::Shared;
using futon::explorer::spawn;
using futon::test::expect_holds;

/// An item that only its owner may touch: the explorer tells of two threads that race on it.
class Item {
public:
    explicit Item(int value) noexcept : value_(value) { touched_.store(value); }
    Item(Item&& other) noexcept : value_(std::exchange(other.value_, 0)) {
        touched_.store(other.touched_.load());
        other.touched_.store(0);
    }
    ~Item() { check(touched_.load() == value_, "an item is whole"); }

    int value() const { return value_; }

private:
    int value_;
    Shared touched_;
};

/// What was sent, and what was received, by value.
struct Account {
    std::array<int, 4> sent{};
    std::array<int, 4> received{};

    void count(const futon::SendResult<>& result, int value) {
        if (result) ++sent[static_cast<std::size_t>(value)];
    }
    void count(const futon::Received<Item>& item) {
        if (item) ++received[static_cast<std::size_t>(item->value())];
    }
    /// Ends the schedule as a failure unless each item that was sent is received once.
    void settle(Channel<Item>& channel) {
        while (true) {
            const auto item = channel.try_receive();
            if (!item) break;
            count(item);
        }
        check(sent == received, "[channel] what is sent is received once");
        for (const int times : received) check(times <= 1, "[channel] no item is doubled");
        check(futon::core::process_table().count(&channel) == 0, "no waiter is left");
    }
};

void send(Channel<Item>& channel, Account& account, int value) {
    Item item(value);
    const auto result = channel.send(std::move(item));
    check(item.value() == (result ? 0 : value), "an item that is not sent stays with its sender");
    account.count(result, value);
}

void two_and_two(std::size_t capacity, int preemptions) {
    expect_holds("two senders, two receivers", {.preemptions = preemptions}, [capacity] {
        Channel<Item> channel(capacity);
        Account account;
        for (const int value : {1, 2}) {
            spawn("sender", [&, value] { send(channel, account, value); });
            spawn("receiver", [&] { account.count(channel.receive()); });
        }
        futon::explorer::join();
        account.settle(channel);
    });
}

TEST(ModelChannel, SendersAndReceiversMeet) {
    two_and_two(0, 2);
}

TEST(ModelChannel, SendersAndReceiversPassABuffer) {
    two_and_two(1, 2);
}

TEST(ModelChannel, AReceiveMakesRoomForASenderThatWaits) {
    expect_holds("a sender of two, a receiver of one", {}, [] {
        Channel<Item> channel(1);
        Account account;
        spawn("sender", [&] {
            for (const int value : {1, 2}) send(channel, account, value);
        });
        spawn("receiver", [&] { account.count(channel.receive()); });
        futon::explorer::join();
        account.settle(channel);
    });
}

TEST(ModelChannel, ItemsOfOneSenderArriveInOrder) {
    expect_holds("a sender of three, a receiver", {.preemptions = 4}, [] {
        Channel<Item> channel(1);
        spawn("sender", [&] {
            for (int value = 1; value <= 3; ++value) check(bool(channel.send(Item(value))), "it is sent");
            channel.close();
        });
        int expected = 1;
        spawn("receiver", [&] {
            for (const Item& item : channel.items()) check(item.value() == expected++, "[fifo] in order");
            check(expected == 4, "a close loses nothing");
        });
        futon::explorer::join();
    });
}

TEST(ModelChannel, ACloseEndsAllAndLosesNothing) {
    for (const std::size_t capacity : {0, 1})
        expect_holds("two senders, a receiver, a close", {.preemptions = 3}, [capacity] {
            Channel<Item> channel(capacity);
            Account account;
            for (const int value : {1, 2}) spawn("sender", [&, value] { send(channel, account, value); });
            spawn("receiver", [&] {
                while (true) {
                    const auto item = channel.receive();
                    account.count(item);
                    if (!item) break;
                }
            });
            spawn("closer", [&] { channel.close(); });
            futon::explorer::join();
            account.settle(channel);
        });
}

TEST(ModelChannel, AWaitThatTimesOutLosesNothing) {
    for (const std::size_t capacity : {0, 1})
        expect_holds("senders and receivers with deadlines", {.preemptions = 2, .clock_leaps = 1}, [capacity] {
            Channel<Item> channel(capacity);
            Account account;
            for (const int value : {1, 2})
                spawn("sender", [&, value] {
                    Item item(value);
                    account.count(channel.send(std::move(item), 1ms), value);
                });
            spawn("receiver", [&] { account.count(channel.receive(1ms)); });
            futon::explorer::join();
            account.settle(channel);
        });
}

TEST(ModelChannel, TriesOfTwoSendersAndAReceiverAreOrderedOnAWeakMemory) {
    expect_holds("tries of two senders and a receiver, weak", {.preemptions = 3, .stale_loads = 1}, [] {
        Channel<Item> channel(2);
        Account account;
        for (const int value : {1, 2})
            spawn("sender", [&, value] { account.count(channel.try_send(Item(value)), value); });
        spawn("receiver", [&] {
            for (int tries = 0; tries < 2; ++tries) account.count(channel.try_receive());
        });
        futon::explorer::join();
        account.settle(channel);
    });
}

TEST(ModelChannel, AReceiverMayDestroyTheChannel) {
    expect_holds("a rendezvous after which the channel is destroyed", {.preemptions = 3}, [] {
        std::optional<Channel<Item>> channel(std::in_place);
        spawn("sender", [&] { check(bool(channel->send(Item(1))), "it is sent"); });
        spawn("other sender", [&] { check(bool(channel->send(Item(2))), "it is sent"); });
        spawn("receiver", [&] {
            check(bool(channel->receive()) && bool(channel->receive()), "it is received");
            channel.reset();
        });
        futon::explorer::join();
    });
}

TEST(ModelChannel, AnItemOfALoopThatEndsIsNotLost) {
    for (const std::size_t capacity : {0, 1})
        expect_holds("a loop that ends, a sender, a receiver", {.preemptions = 3}, [capacity] {
            Channel<Item> channel(capacity);
            Account account;
            spawn("loop", [&] {
                const futon::EventLoop loop;
                auto receive = [&]() -> futon::Promise<void> { account.count(co_await channel.receive_async()); };
                const auto unfinished = receive();
            });
            spawn("sender", [&] {
                send(channel, account, 1);
                channel.close();
            });
            spawn("receiver", [&] { account.count(channel.receive()); });
            futon::explorer::join();
            account.settle(channel);
        });
}

/// [owner] The loop does not run, and does not end before the receiver has the item.
TEST(ModelChannel, WhatADroppedPromiseWasHandedGoesOnWithoutItsLoop) {
    for (const std::size_t capacity : {0, 1})
        expect_holds("a promise that is dropped, a receiver", {.preemptions = 3}, [capacity] {
            Channel<Item> channel(capacity);
            Account account;
            const futon::EventLoop loop(futon::CanBlock::yes);
            std::optional dropped(futon::promise_of(channel.receiving()));
            account.count(channel.try_send(Item(1)), 1);
            spawn("receiver", [&] { account.count(channel.receive()); });
            dropped.reset();
            futon::explorer::join();
            account.settle(channel);
        });
}

TEST(ModelChannel, WhatADroppedPromiseIsBeingHandedGoesOnWithItsLoopAtTheLatest) {
    for (const std::size_t capacity : {0, 1})
        expect_holds("a promise that is dropped, a sender, a receiver", {.preemptions = 3}, [capacity] {
            Channel<Item> channel(capacity);
            Account account;
            futon::EventLoop loop(futon::CanBlock::yes);
            std::optional dropped(futon::promise_of(channel.receiving()));
            spawn("sender", [&] { send(channel, account, 1); });
            spawn("receiver", [&] { account.count(channel.receive()); });
            dropped.reset();
            loop.run();
            futon::explorer::join();
            account.settle(channel);
        });
}

/// Sends 1 and what follows, and closes the channel.
futon::Promise<void> send_up_to(Channel<Item>& channel, int last) {
    for (int value = 1; value <= last; ++value) {
        auto sent = co_await channel.send_async(Item(value));
        check(bool(sent), "it is sent");
    }
    channel.close();
}

TEST(ModelChannel, ACoroutineAndAThreadPassItems) {
    expect_holds("a coroutine that sends, a thread that receives", {.preemptions = 3}, [] {
        Channel<Item> channel;
        spawn("loop", [&] {
            futon::EventLoop loop;
            const auto sent = send_up_to(channel, 2);
            loop.run();
            check(sent.is_settled(), "a send ends");
        });
        spawn("receiver", [&] {
            int expected = 1;
            for (const Item& item : channel.items()) check(item.value() == expected++, "[fifo] in order");
            check(expected == 3, "both are received");
        });
        futon::explorer::join();
    });
}

/// Where a hint says that a try would be in vain, there is none before the check. [check]
TEST(ModelChannel, TheCoroutinesOfTwoLoopsPassABuffer) {
    expect_holds("a loop that sends, a loop that receives", {.preemptions = 2}, [] {
        Channel<Item> channel(1);
        spawn("sender", [&] {
            futon::EventLoop loop;
            const auto sent = send_up_to(channel, 3);
            loop.run();
            check(sent.is_settled(), "a send ends");
        });
        spawn("receiver", [&] {
            futon::EventLoop loop;
            auto receive_all = [&]() -> futon::Promise<int> {
                int count = 0;
                while (const auto item = co_await channel.receive_async())
                    check(item->value() == ++count, "[fifo] in order");
                co_return count;
            };
            const auto received = receive_all();
            loop.run();
            check(received.is_settled(), "a receive ends");
        });
        futon::explorer::join();
    });
}

}  // namespace
