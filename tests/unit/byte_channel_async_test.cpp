// SPDX-License-Identifier: MIT
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include <futon/futon.hpp>
#include <futon/select.hpp>

#include "support/byte_messages.hpp"
#include "support/coroutines.hpp"
#include "support/gtest.hpp"

namespace {

using namespace std::chrono_literals;
using futon::ByteChannel;
using futon::ChannelResult;
using futon::EventLoop;
using futon::Promise;
using futon::Received;
using futon::test::bytes_of;
using futon::test::OwnedCoroutine;
using futon::test::pattern;
using futon::test::receivers_of;
using futon::test::senders_of;
using futon::test::text_of;
using futon::test::until_waiters_at;
using futon::test::waiters_at;

Promise<std::size_t> receive_patterns(ByteChannel& channel) {
    std::size_t count = 0;
    while (const auto message = co_await channel.receive_async()) {
        EXPECT_EQ(message->bytes, pattern(message->kind % 97, message->kind));
        ++count;
    }
    co_return count;
}

Promise<ChannelResult> send_patterns(ByteChannel& channel, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::vector<std::byte> bytes = pattern(i % 97, i);
        const auto sent = co_await channel.send_async(bytes, i);
        if (!sent) co_return sent.result();
    }
    channel.close();
    co_return ChannelResult::ok;
}

OwnedCoroutine receive_text_owned(ByteChannel& channel, std::string& text) {
    text = text_of(co_await channel.receive_async());
}

OwnedCoroutine send_text_owned(ByteChannel& channel, const char* text, std::optional<ChannelResult>& result) {
    result = (co_await channel.send_async(bytes_of(text))).result();
}

TEST(ByteChannelAsync, TwoCoroutinesOfOneLoopPassMessages) {
    EventLoop loop;
    const auto channel = ByteChannel::make(104);
    auto sent = send_patterns(*channel, 200);
    auto received = receive_patterns(*channel);
    EXPECT_EQ(loop.run_until(received), 200u);
    EXPECT_EQ(loop.run_until(sent), ChannelResult::ok);
}

TEST(ByteChannelAsync, AThreadSendsToALoop) {
    EventLoop loop;
    const auto channel = ByteChannel::make(104);
    std::jthread sender([&] {
        for (std::uint32_t i = 0; i < 500; ++i) EXPECT_TRUE(channel->send(pattern(i % 97, i), i));
        channel->close();
    });
    auto received = receive_patterns(*channel);
    EXPECT_EQ(loop.run_until(received), 500u);
}

TEST(ByteChannelAsync, ALoopSendsToAThread) {
    EventLoop loop;
    const auto channel = ByteChannel::make(104);
    std::uint32_t count = 0;
    std::jthread receiver([&] {
        while (const auto message = channel->receive()) {
            EXPECT_EQ(message->bytes, pattern(count % 97, count));
            ++count;
        }
    });
    auto sent = send_patterns(*channel, 500);
    EXPECT_EQ(loop.run_until(sent), ChannelResult::ok);
    receiver.join();
    EXPECT_EQ(count, 500u);
}

TEST(ByteChannelAsync, ACoroutineReceivesIntoItsOwnBytes) {
    EventLoop loop;
    const auto channel = ByteChannel::make(64);
    const auto receive = [&]() -> Promise<std::string> {
        std::array<char, 8> to{};
        const auto bytes = std::as_writable_bytes(std::span(to));
        EXPECT_EQ((co_await channel->receive_async(bytes, 1ms)).result(), ChannelResult::timed_out);
        EXPECT_TRUE(co_await channel->send_async(bytes_of("too long a text"), 10s));
        try {
            (void)co_await channel->receive_async(bytes);
            ADD_FAILURE() << "it does not fit";
        } catch (const std::length_error&) {
        }
        EXPECT_EQ(text_of(co_await channel->receive_async(10s)), "too long a text");
        EXPECT_TRUE(co_await channel->send_async(bytes_of("short"), 7, 10s));
        const auto head = co_await channel->receive_async(bytes);
        EXPECT_EQ(head->kind, 7u);
        co_return std::string(to.data(), head->size);
    };
    EXPECT_EQ(loop.run_until(receive()), "short");
}

TEST(ByteChannelAsync, AMessageForADestroyedReceiverGoesToTheNext) {
    EventLoop loop;
    const auto channel = ByteChannel::make(64);
    std::string first_text;
    std::string second_text;
    OwnedCoroutine first = receive_text_owned(*channel, first_text);
    OwnedCoroutine second = receive_text_owned(*channel, second_text);
    EXPECT_EQ(waiters_at(receivers_of(*channel)), 2u);
    EXPECT_TRUE(channel->try_send(bytes_of("message")));
    first.destroy();
    while (!second.is_done()) loop.poll();
    EXPECT_EQ(first_text, "");
    EXPECT_EQ(second_text, "message");
}

TEST(ByteChannelAsync, TheRoomForADestroyedSenderGoesToTheNext) {
    EventLoop loop;
    const auto channel = ByteChannel::make(16);
    EXPECT_TRUE(channel->try_send(bytes_of("full")));
    std::optional<ChannelResult> first_result;
    std::optional<ChannelResult> second_result;
    OwnedCoroutine first = send_text_owned(*channel, "first", first_result);
    OwnedCoroutine second = send_text_owned(*channel, "second", second_result);
    EXPECT_EQ(waiters_at(senders_of(*channel)), 2u);
    EXPECT_EQ(text_of(channel->try_receive()), "full");
    first.destroy();
    while (!second.is_done()) loop.poll();
    EXPECT_EQ(first_result, std::nullopt);
    EXPECT_EQ(second_result, ChannelResult::ok);
    EXPECT_EQ(text_of(channel->try_receive()), "second");
    EXPECT_EQ(text_of(channel->try_receive()), "would-block");
}

TEST(ByteChannelAsync, ALoopThatEndsTakesNothingWithIt) {
    const auto full = ByteChannel::make(16);
    const auto empty = ByteChannel::make(16);
    EXPECT_TRUE(full->try_send(bytes_of("full")));
    const std::string text = "unsent";
    {
        EventLoop loop;
        auto sent = futon::promise_of(full->sending(bytes_of(text)));
        auto received = futon::promise_of(empty->receiving());
        EXPECT_EQ(text_of(full->try_receive()), "full");
        EXPECT_TRUE(empty->try_send(bytes_of("kept")));
    }
    EXPECT_EQ(waiters_at(senders_of(*full)) + waiters_at(receivers_of(*empty)), 0u);
    EXPECT_EQ(text_of(full->try_receive()), "would-block");
    EXPECT_TRUE(full->try_send(pattern(8, 0)));
    EXPECT_EQ(text_of(empty->try_receive()), "kept");
    EXPECT_TRUE(empty->try_send(pattern(8, 0)));
}

TEST(ByteChannelAsync, AThreadDoesNotWaitForALoopThatDoesNotRun) {
    EventLoop loop(futon::CanBlock::yes);
    const auto channel = ByteChannel::make(16);
    auto promise = futon::promise_of(channel->receiving());
    std::jthread behind([&] { EXPECT_EQ(text_of(channel->receive()), "one"); });
    until_waiters_at(receivers_of(*channel), 2);
    EXPECT_TRUE(channel->try_send(bytes_of("one")));
    behind.join();  // while the loop does not run
    EXPECT_TRUE(channel->try_send(bytes_of("two")));
    EXPECT_EQ(text_of(loop.run_until(promise)), "two");
}

TEST(ByteChannelAsync, ACloseEndsTasksThatWait) {
    EventLoop loop;
    const auto full = ByteChannel::make(16);
    const auto empty = ByteChannel::make(16);
    EXPECT_TRUE(full->try_send(bytes_of("full")));
    const std::vector<std::byte> bytes = pattern(8, 0);
    std::vector<Promise<futon::SendResult<>>> sent;
    std::vector<Promise<Received<ByteChannel::Message>>> received;
    for (int i = 0; i < 3; ++i) sent.push_back(futon::promise_of(full->sending(bytes)));
    for (int i = 0; i < 3; ++i) received.push_back(futon::promise_of(empty->receiving(), 10s));
    full->close();
    empty->close();
    for (auto& each : sent) EXPECT_EQ(loop.run_until(each).result(), ChannelResult::closed);
    for (auto& each : received) EXPECT_EQ(loop.run_until(each).result(), ChannelResult::closed);
    EXPECT_EQ(text_of(full->try_receive()), "full");
    EXPECT_EQ(text_of(full->try_receive()), "closed");
}

TEST(ByteChannelAsync, ASelectReceivesFromTheOneThatHasAMessage) {
    const auto one = ByteChannel::make(64);
    const auto other = ByteChannel::make(64);
    std::jthread sender([&] {
        until_waiters_at(receivers_of(*one), 1);
        until_waiters_at(receivers_of(*other), 1);
        EXPECT_TRUE(other->send(bytes_of("other")));
    });
    const auto chosen = futon::select(one->receiving(), other->receiving());
    ASSERT_EQ(chosen.index(), 1u);
    EXPECT_EQ(text_of(std::get<1>(chosen)), "other");
    EXPECT_TRUE(one->try_send(bytes_of("kept")));
    EXPECT_EQ(text_of(one->try_receive()), "kept");
}

TEST(ByteChannelAsync, ASelectSendsOrReceivesAndNotBoth) {
    EventLoop loop;
    const auto channel = ByteChannel::make(16);
    const std::vector<std::byte> bytes = pattern(8, 0);
    std::array<std::byte, 8> to{};
    const auto selecting = [&](std::chrono::milliseconds time) -> Promise<std::size_t> {
        const auto chosen =
            co_await futon::select_async(channel->receiving(to), channel->sending(bytes, 5), futon::timeout(time));
        co_return chosen.index();
    };
    EXPECT_EQ(loop.run_until(selecting(10s)), 1u);
    EXPECT_EQ(loop.run_until(selecting(10s)), 0u);
    EXPECT_EQ(text_of(channel->try_receive()), "would-block");
    EXPECT_TRUE(channel->try_send(bytes));
}

TEST(ByteChannelAsync, TheLargestMessageIsSentToARingThatSmallOnesFill) {
    EventLoop loop;
    const auto channel = ByteChannel::make(104);
    for (int i = 0; i < 13; ++i) EXPECT_TRUE(channel->try_send({}));
    const std::vector<std::byte> bytes = pattern(96, 1);
    auto large = futon::promise_of(channel->sending(bytes));
    const auto receive = [&]() -> Promise<std::size_t> {
        for (int i = 0; i < 13; ++i) EXPECT_EQ(text_of(co_await channel->receive_async()), "");
        const auto message = co_await channel->receive_async();
        co_return message->bytes.size();
    };
    EXPECT_EQ(loop.run_until(receive()), 96u);
    EXPECT_EQ(loop.run_until(large).result(), ChannelResult::ok);
}

}  // namespace
