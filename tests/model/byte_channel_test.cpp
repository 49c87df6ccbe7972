// SPDX-License-Identifier: MIT
#include <futon/sync/byte_channel.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>

#include <futon/futon.hpp>

#include "explore.hpp"

namespace {

using namespace std::chrono_literals;
using futon::ByteChannel;
using futon::ChannelResult;
using futon::explorer::check;
using futon::explorer::Shared;
using futon::explorer::spawn;
using futon::test::expect_holds;

/// What was sent and what was received, by the kinds of the messages, in a ring of two units: room for one message of
/// eight bytes, or for two without any.
struct ByteAccount {
    std::unique_ptr<ByteChannel> channel = ByteChannel::make(16);
    std::array<int, 4> sent{};
    std::array<int, 4> received{};
    int closed = 0;

    void send(std::uint32_t kind, const futon::Limits& limits = {}) {
        std::array<std::byte, 8> bytes;
        bytes.fill(static_cast<std::byte>(kind));
        if (channel->send(std::span(bytes).first(kind % 2 == 0 ? 8 : 0), kind, limits)) ++sent.at(kind);
    }

    ChannelResult receive(const futon::Limits& limits = {}) {
        std::array<std::byte, 8> to{};
        const auto head = channel->receive(to, limits);
        if (head) count(*head, to);
        closed += head.result() == ChannelResult::closed ? 1 : 0;
        return head.result();
    }

    void count(const ByteChannel::Head& head, const std::array<std::byte, 8>& bytes) {
        check(head.size == (head.kind % 2 == 0 ? 8 : 0), "a message is whole");
        for (std::size_t i = 0; i < head.size; ++i)
            check(bytes.at(i) == static_cast<std::byte>(head.kind), "a message is whole");
        ++received.at(head.kind);
    }

    /// Ends the schedule as a failure unless each message that was sent is received once, and all room is free again.
    void settle() {
        const bool was_closed = channel->is_closed();
        std::array<std::byte, 8> to{};
        while (const auto head = channel->try_receive(to)) count(*head, to);
        check(sent == received, "what is sent is received once");
        for (const int times : received) check(times <= 1, "no message is doubled");
        const auto space = reinterpret_cast<const std::byte*>(channel.get()) + sizeof(futon::Semaphore);
        check(futon::core::process_table().count(channel.get()) == 0, "no receiver is left");
        check(futon::core::process_table().count(space) == 0, "no sender is left");
        if (was_closed) return check(receive() == ChannelResult::closed, "a closed channel says so each time");
        check(channel->try_send(to).result() == ChannelResult::ok, "all room is free again");
        check(channel->try_send({}).result() == ChannelResult::would_block, "and no more than that");
    }
};

TEST(ModelByteChannel, SendersAndReceiversPassTheRing) {
    expect_holds("two senders, two receivers of bytes", {.preemptions = 2}, [] {
        ByteAccount account;
        for (const std::uint32_t kind : {1u, 2u}) spawn("sender", [&account, kind] { account.send(kind); });
        for (int i = 0; i < 2; ++i) spawn("receiver", [&account] { account.receive(); });
        futon::explorer::join();
        account.settle();
    });
}

TEST(ModelByteChannel, ACloseEndsAllAndLosesNothing) {
    expect_holds("two senders, a receiver of bytes, a close", {.preemptions = 2}, [] {
        ByteAccount account;
        for (const std::uint32_t kind : {2u, 1u}) spawn("sender", [&account, kind] { account.send(kind); });
        spawn("receiver", [&account] {
            while (account.receive() == ChannelResult::ok) {
            }
        });
        spawn("closer", [&account] { account.channel->close(); });
        futon::explorer::join();
        account.settle();
    });
}

TEST(ModelByteChannel, EachReceiverSeesTheClose) {
    expect_holds("two receivers of bytes, two closes", {.preemptions = 2}, [] {
        ByteAccount account;
        account.send(1);
        for (int i = 0; i < 2; ++i)
            spawn("receiver", [&account] {
                while (account.receive() == ChannelResult::ok) {
                }
            });
        for (int i = 0; i < 2; ++i) spawn("closer", [&account] { account.channel->close(); });
        futon::explorer::join();
        check(account.closed == 2, "each of them");
        account.settle();
    });
}

TEST(ModelByteChannel, ACloseGivesEachSenderItsTurn) {
    expect_holds("two senders at a full ring, a close", {.preemptions = 3}, [] {
        ByteAccount account;
        account.send(2);
        for (const std::uint32_t kind : {0u, 2u}) spawn("sender", [&account, kind] { account.send(kind); });
        spawn("closer", [&account] { account.channel->close(); });
        futon::explorer::join();
        check(account.sent[0] == 0 && account.sent[2] == 1, "there was no room for them");
        account.settle();
    });
}

TEST(ModelByteChannel, AWaitThatTimesOutLosesNothing) {
    expect_holds("senders and a receiver of bytes with deadlines", {.preemptions = 2, .clock_leaps = 1}, [] {
        ByteAccount account;
        for (const std::uint32_t kind : {1u, 2u}) spawn("sender", [&account, kind] { account.send(kind, 1ms); });
        spawn("receiver", [&account] { account.receive(1ms); });
        futon::explorer::join();
        account.settle();
    });
}

TEST(ModelByteChannel, ATaskThatIsGivenUpLosesNothing) {
    expect_holds("a task that is dropped, a receiver, a sender of bytes", {.preemptions = 2, .clock_leaps = 1}, [] {
        ByteAccount account;
        spawn("loop", [&account] {
            futon::EventLoop loop;
            auto dropped = futon::promise_of(account.channel->receiving());
            if (!dropped.is_settled()) return;
            const auto& received = loop.run_until(dropped);
            if (received) ++account.received.at(received->kind);
        });
        spawn("receiver", [&account] { account.receive(1ms); });
        spawn("sender", [&account] { account.send(1); });
        futon::explorer::join();
        account.settle();
    });
}

TEST(ModelByteChannel, TheReceiverOfTheLastMessageMayDestroyIt) {
    expect_holds("a channel of bytes that its receiver destroys", {.preemptions = 3}, [] {
        ByteChannel* channel = ByteChannel::make(16).release();
        spawn("sender", [=] { check(bool(channel->send({})), "it is sent"); });
        spawn("receiver", [=] {
            check(bool(channel->receive()), "it is received");
            delete channel;
        });
        futon::explorer::join();
    });
}

TEST(ModelByteChannel, TheReceiverThatSeesTheCloseMayDestroyIt) {
    expect_holds("a closed channel that its receiver destroys", {.preemptions = 3}, [] {
        ByteChannel* channel = ByteChannel::make(16).release();
        spawn("closer", [=] { channel->close(); });
        spawn("receiver", [=] {
            check(channel->receive().result() == ChannelResult::closed, "it is closed");
            delete channel;
        });
        futon::explorer::join();
    });
}

TEST(ModelByteChannel, AReceiveSeesWhatCameBeforeTheSendOnAWeakMemory) {
    expect_holds("bytes after a message, weak", {.preemptions = 2, .stale_loads = 1}, [] {
        const auto channel = ByteChannel::make(16);
        Shared message;
        Shared last_words;
        spawn("sender", [&] {
            message.store(1);
            check(bool(channel->send({})), "it is sent");
            last_words.store(1);
            channel->close();
        });
        spawn("receiver", [&] {
            check(bool(channel->receive()), "it is received");
            check(message.load() == 1, "what came before the send is seen");
            check(channel->receive().result() == ChannelResult::closed, "it is closed");
            check(last_words.load() == 1, "what came before the close is seen");
        });
        futon::explorer::join();
    });
}

TEST(ModelByteChannel, WhatCameBeforeItWasMadeAndClosedIsSeenOnAWeakMemory) {
    expect_holds("a channel in a buffer, weak", {.preemptions = 2, .stale_loads = 1}, [] {
        futon::SharedArrayBuffer buffer(ByteChannel::bytes_for(16));
        Shared first_words;
        Shared last_words;
        spawn("maker", [&] {
            first_words.store(1);
            ByteChannel& channel = ByteChannel::make_at(buffer, 0, 16);
            last_words.store(1);
            channel.close();
        });
        spawn("user", [&] {
            try {
                ByteChannel& channel = ByteChannel::at(buffer);
                check(first_words.load() == 1 && channel.capacity() == 16, "what came before it was made is seen");
                if (channel.try_receive().result() == ChannelResult::closed)
                    check(last_words.load() == 1, "what came before the close is seen");
            } catch (const std::logic_error&) {  // not made yet
            }
        });
        futon::explorer::join();
    });
}

TEST(ModelByteChannel, TheRingIsSeenAsItWasLeftOnAWeakMemory) {
    expect_holds("two senders, a receiver of bytes, weak", {.preemptions = 2, .stale_loads = 1}, [] {
        ByteAccount account;
        for (const std::uint32_t kind : {1u, 3u}) spawn("sender", [&account, kind] { account.send(kind); });
        spawn("receiver", [&account] {
            for (int i = 0; i < 2; ++i) account.receive();
        });
        futon::explorer::join();
        account.settle();
    });
}

}  // namespace
