// SPDX-License-Identifier: MIT
#include <futon/sync/byte_channel.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <futon/futon.hpp>

#include "support/byte_messages.hpp"
#include "support/gtest.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using futon::ByteChannel;
using futon::ChannelResult;
using futon::SharedArrayBuffer;
using futon::test::bytes_of;
using futon::test::pattern;
using futon::test::receivers_of;
using futon::test::senders_of;
using futon::test::text_of;
using futon::test::until_waiters_at;
using futon::test::waiters_at;

TEST(ByteChannel, ReceivesWhatWasSentInOrder) {
    const auto channel = ByteChannel::make(64);
    EXPECT_TRUE(channel->send(bytes_of("one"), 1));
    EXPECT_TRUE(channel->try_send(bytes_of("")));
    EXPECT_TRUE(channel->send(bytes_of("and three"), 3, 0ms));

    const auto first = channel->receive();
    EXPECT_EQ(text_of(first), "one");
    EXPECT_EQ(first->kind, 1u);
    EXPECT_EQ(text_of(channel->try_receive()), "");
    const auto third = channel->receive(0ms);
    EXPECT_EQ(text_of(third), "and three");
    EXPECT_EQ(third->kind, 3u);
    EXPECT_EQ(text_of(channel->try_receive()), "would-block");
}

TEST(ByteChannel, AMessageTakesItsBytesRoundedUpAndEightMore) {
    for (const std::size_t size : {0u, 1u, 7u, 8u, 9u, 16u}) {
        const auto channel = ByteChannel::make(10 * (8 + (size + 7) / 8 * 8));
        const std::vector<std::byte> message = pattern(size, 0);
        for (int i = 0; i < 10; ++i) EXPECT_TRUE(channel->try_send(message)) << size;
        EXPECT_EQ(channel->try_send({}).result(), ChannelResult::would_block) << size;
        EXPECT_TRUE(channel->try_receive());
        EXPECT_TRUE(channel->try_send(message)) << size;
    }
}

TEST(ByteChannel, TheRingIsRoundedUpAndTheLargestMessageFillsIt) {
    EXPECT_EQ(ByteChannel::bytes_for(1), 64u + 8u);
    EXPECT_EQ(ByteChannel::bytes_for(24), 64u + 24u);
    const auto channel = ByteChannel::make(27);
    EXPECT_EQ(channel->capacity(), 32u);
    EXPECT_EQ(channel->largest_message(), 24u);
    for (std::size_t i = 0; i < 5; ++i) {
        EXPECT_TRUE(channel->try_send(pattern(24, i)));
        EXPECT_EQ(channel->try_send({}).result(), ChannelResult::would_block);
        EXPECT_EQ(channel->try_receive()->bytes, pattern(24, i));
        EXPECT_TRUE(channel->try_send(pattern(1, i)));  // so that the next begins elsewhere
        EXPECT_EQ(channel->try_receive()->bytes, pattern(1, i));
    }
}

TEST(ByteChannel, MessagesOfAllSizesWrapAroundTheEnd) {
    const auto channel = ByteChannel::make(104);
    std::size_t sent = 0;
    std::size_t received = 0;
    std::array<std::byte, 96> to{};
    while (received < 500) {
        while (channel->try_send(pattern(sent % 97, sent), static_cast<std::uint32_t>(sent))) ++sent;
        if (received % 2 == 0) {
            const auto message = channel->try_receive();
            ASSERT_TRUE(message);
            EXPECT_EQ(message->bytes, pattern(received % 97, received));
            EXPECT_EQ(message->kind, received);
        } else {
            const auto head = channel->try_receive(to);
            ASSERT_TRUE(head);
            EXPECT_EQ(std::vector(to.begin(), to.begin() + static_cast<std::ptrdiff_t>(head->size)),
                      pattern(received % 97, received));
            EXPECT_EQ(head->kind, received);
        }
        ++received;
    }
}

TEST(ByteChannel, AReceiveIntoTooFewBytesLeavesTheMessage) {
    const auto channel = ByteChannel::make(64);
    EXPECT_TRUE(channel->send(bytes_of("12345678")));
    std::array<std::byte, 8> to{};
    EXPECT_THROW((void)channel->try_receive(std::span(to).first(7)), std::length_error);
    EXPECT_THROW((void)channel->receive(std::span(to).first(7), 0ms), std::length_error);
    const auto head = channel->receive(to, 0ms);
    ASSERT_TRUE(head);
    EXPECT_EQ(head->size, 8u);
    EXPECT_EQ(to[7], std::byte{'8'});
    EXPECT_EQ(channel->try_receive(to).result(), ChannelResult::would_block);
}

TEST(ByteChannel, AThreadWaitsForAMessageAndForRoom) {
    const auto channel = ByteChannel::make(16);
    std::jthread receiver([&] {
        EXPECT_EQ(text_of(channel->receive()), "first");
        std::array<std::byte, 8> to{};
        EXPECT_EQ(channel->receive(to)->size, 6u);
    });
    until_waiters_at(receivers_of(*channel), 1);
    EXPECT_TRUE(channel->send(bytes_of("first")));
    EXPECT_TRUE(channel->send(bytes_of("second")));
    receiver.join();

    EXPECT_TRUE(channel->send(bytes_of("full")));
    std::jthread sender([&] { EXPECT_TRUE(channel->send(bytes_of("waits"))); });
    until_waiters_at(senders_of(*channel), 1);
    EXPECT_EQ(text_of(channel->receive()), "full");
    EXPECT_EQ(text_of(channel->receive()), "waits");
}

TEST(ByteChannel, LimitsEndAWaitAndNothingIsSentOrReceived) {
    const auto channel = ByteChannel::make(16);
    std::stop_source stopped;
    stopped.request_stop();
    std::array<std::byte, 8> to{};
    EXPECT_EQ(channel->receive(1ms).result(), ChannelResult::timed_out);
    EXPECT_EQ(channel->receive(to, 0ms).result(), ChannelResult::timed_out);
    EXPECT_EQ(channel->receive({10s, stopped.get_token()}).result(), ChannelResult::cancelled);
    EXPECT_TRUE(channel->send(bytes_of("full"), {0ms, stopped.get_token()}));  // room wins over limits
    EXPECT_EQ(channel->send(bytes_of("no"), 1ms).result(), ChannelResult::timed_out);
    EXPECT_EQ(channel->send(bytes_of("no"), 0, stopped.get_token()).result(), ChannelResult::cancelled);
    EXPECT_EQ(text_of(channel->receive(stopped.get_token())), "full");
    EXPECT_EQ(text_of(channel->try_receive()), "would-block");
    EXPECT_TRUE(channel->try_send(bytes_of("room")));
}

TEST(ByteChannel, WhatWasSentBeforeACloseIsReceived) {
    const auto channel = ByteChannel::make(64);
    EXPECT_TRUE(channel->send(bytes_of("before")));
    EXPECT_FALSE(channel->is_closed());
    channel->close();
    channel->close();
    EXPECT_TRUE(channel->is_closed());
    EXPECT_EQ(channel->try_send(bytes_of("after")).result(), ChannelResult::closed);
    EXPECT_EQ(channel->send(bytes_of("after"), 0ms).result(), ChannelResult::closed);
    EXPECT_EQ(text_of(channel->receive()), "before");
    std::array<std::byte, 8> to{};
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(text_of(channel->receive()), "closed");
        EXPECT_EQ(text_of(channel->try_receive()), "closed");
        EXPECT_EQ(channel->receive(to, 0ms).result(), ChannelResult::closed);
        EXPECT_EQ(channel->send(pattern(56, 0)).result(), ChannelResult::closed);
    }
}

TEST(ByteChannel, ACloseEndsAllThatWait) {
    const auto full = ByteChannel::make(48);
    EXPECT_TRUE(full->send(pattern(40, 1)));
    const auto empty = ByteChannel::make(48);
    std::atomic<int> closed = 0;
    {
        std::vector<std::jthread> threads;
        for (const std::size_t size : {40u, 0u, 24u, 40u, 8u})
            threads.emplace_back(
                [&, size] { closed += full->send(pattern(size, 2)).result() == ChannelResult::closed; });
        for (int i = 0; i < 4; ++i)
            threads.emplace_back([&] { closed += empty->receive().result() == ChannelResult::closed; });
        until_waiters_at(senders_of(*full), 5);
        until_waiters_at(receivers_of(*empty), 4);
        full->close();
        empty->close();
    }
    EXPECT_EQ(closed, 9);
    EXPECT_EQ(full->receive()->bytes, pattern(40, 1));
    EXPECT_EQ(text_of(full->receive()), "closed");
}

TEST(ByteChannel, SmallMessagesDoNotOvertakeALargeOneThatWaits) {
    const auto channel = ByteChannel::make(32);
    EXPECT_TRUE(channel->send(pattern(8, 1)));
    EXPECT_TRUE(channel->send(pattern(8, 2)));
    std::jthread large([&] { EXPECT_TRUE(channel->send(pattern(24, 3))); });
    until_waiters_at(senders_of(*channel), 1);
    std::jthread small([&] { EXPECT_TRUE(channel->send(pattern(8, 4))); });
    until_waiters_at(senders_of(*channel), 2);
    constexpr std::size_t sizes[] = {8, 8, 24, 8};
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(channel->receive()->bytes, pattern(sizes[i], i + 1));
}

TEST(ByteChannel, MisuseThrowsAndChangesNothing) {
    EXPECT_THROW((void)ByteChannel::make(0), std::length_error);
    EXPECT_THROW((void)ByteChannel::make(SIZE_MAX), std::length_error);
    const auto channel = ByteChannel::make(16);
    EXPECT_THROW((void)channel->try_send(pattern(9, 0)), std::length_error);
    EXPECT_THROW((void)channel->send(pattern(9, 0)), std::length_error);
    EXPECT_THROW((void)channel->sending(pattern(9, 0)), std::length_error);
    {
        const futon::EventLoop loop;
        EXPECT_THROW((void)channel->send(bytes_of("x")), futon::BlockingForbidden);
        EXPECT_THROW((void)channel->receive(), futon::BlockingForbidden);
        EXPECT_TRUE(channel->try_send(bytes_of("x")));
        std::array<std::byte, 8> to{};
        EXPECT_THROW((void)channel->receive(to), futon::BlockingForbidden);
    }
    EXPECT_EQ(text_of(channel->receive()), "x");
    EXPECT_TRUE(channel->try_send(pattern(8, 0)));
}

TEST(ByteChannel, LiesInASharedArrayBuffer) {
    SharedArrayBuffer buffer(16 + ByteChannel::bytes_for(24));
    EXPECT_THROW((void)ByteChannel::at(buffer, 16), std::logic_error);
    EXPECT_THROW((void)ByteChannel::make_at(buffer, 8, 24), std::out_of_range);
    EXPECT_THROW((void)ByteChannel::make_at(buffer, 16, 32), std::out_of_range);
    EXPECT_THROW((void)ByteChannel::make_at(buffer, 48, 8), std::out_of_range);
    alignas(16) std::byte memory[80] = {};
    EXPECT_THROW((void)ByteChannel::make_at(std::span(memory).subspan(8), 8), std::out_of_range);
    EXPECT_THROW((void)ByteChannel::make_at(memory, 17), std::out_of_range);
    EXPECT_THROW((void)ByteChannel::at(memory), std::logic_error);
    ByteChannel& in_memory = ByteChannel::make_at(memory, 16);
    EXPECT_EQ(&in_memory, &ByteChannel::at(memory));
    ByteChannel& made = ByteChannel::make_at(buffer, 16, 24);
    EXPECT_THROW((void)ByteChannel::make_at(buffer, 16, 24), std::logic_error);
    ByteChannel& other = ByteChannel::at(buffer, 16);
    EXPECT_EQ(&other, &made);
    EXPECT_EQ(other.capacity(), 24u);
    EXPECT_TRUE(made.send(bytes_of("shared")));
    EXPECT_EQ(text_of(other.receive()), "shared");
    made.close();
    EXPECT_EQ(text_of(other.receive()), "closed");
    EXPECT_THROW((void)ByteChannel::make_at(buffer, 16, 24), std::logic_error);
}

TEST(ByteChannel, TheReceiverOfTheLastMessageMayDestroyIt) {
    for (int i = 0; i < 200; ++i) {
        auto channel = ByteChannel::make(16);
        std::jthread sender([&channel = *channel] { EXPECT_TRUE(channel.send(bytes_of("last"))); });
        EXPECT_EQ(text_of(channel->receive()), "last");
        channel.reset();
    }
}

TEST(ByteChannel, ContendingSendersAndReceiversLoseNothing) {
    constexpr std::uint32_t senders = 3;
    constexpr std::uint32_t receivers = 3;
    constexpr std::uint32_t each = 2000;
    const auto channel = ByteChannel::make(200);
    std::array<std::vector<std::uint32_t>, senders> seen;
    for (auto& counts : seen) counts.resize(each);
    std::atomic<std::size_t> damaged = 0;
    {
        std::vector<std::jthread> threads;
        std::mutex mutex;
        for (std::uint32_t i = 0; i < receivers; ++i)
            threads.emplace_back([&] {
                std::vector<std::uint32_t> last(senders, 0);
                while (const auto message = channel->receive()) {
                    const std::uint32_t sender = message->kind % senders;
                    const std::uint32_t number = message->kind / senders;
                    if (message->bytes != pattern(number % 191, number) || number < last[sender]) ++damaged;
                    last[sender] = number;
                    const std::lock_guard lock(mutex);
                    ++seen[sender][number];
                }
            });
        std::vector<std::jthread> sending;
        for (std::uint32_t i = 0; i < senders; ++i)
            sending.emplace_back([&, i] {
                for (std::uint32_t number = 0; number < each; ++number)
                    if (!channel->send(pattern(number % 191, number), number * senders + i)) ++damaged;
            });
        sending.clear();
        channel->close();
    }
    EXPECT_EQ(damaged, 0u);
    for (const auto& counts : seen) EXPECT_EQ(counts, std::vector<std::uint32_t>(each, 1));
    EXPECT_EQ(waiters_at(senders_of(*channel)), 0u);
    EXPECT_EQ(waiters_at(receivers_of(*channel)), 0u);
}

}  // namespace
