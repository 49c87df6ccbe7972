// SPDX-License-Identifier: MIT
// A channel of bytes, while its receivers are refused memory.
#include <cstddef>
#include <new>
#include <span>
#include <vector>

#include <futon/futon.hpp>

#include "support/byte_messages.hpp"
#include "support/failing_allocations.hpp"
#include "support/gtest.hpp"

namespace {

using futon::ByteChannel;
using futon::EventLoop;
using futon::promise_of;
using futon::test::NoAllocationFails;
using futon::test::pattern;
using futon::test::refuse_each_allocation;
using futon::test::succeeds;

/// Expects that the channel, of 64 bytes, has these two messages, or the second alone, and all other room.
void expect_the_rest(ByteChannel& channel, bool has_first) {
    if (has_first) {
        EXPECT_EQ(channel.try_receive()->bytes, pattern(20, 1));
    }
    EXPECT_EQ(channel.try_receive()->bytes, pattern(8, 2));
    EXPECT_EQ(channel.try_receive().result(), futon::ChannelResult::would_block);
    EXPECT_TRUE(channel.try_send(pattern(56, 3)));
}

void send_two(ByteChannel& channel) {
    EXPECT_TRUE(channel.try_send(pattern(20, 1)));
    EXPECT_TRUE(channel.try_send(pattern(8, 2)));
}

TEST(RefusedByteChannels, AMessageThatAThreadHasNoMemoryForStays) {
    for (const bool is_tried : {false, true})
        refuse_each_allocation([is_tried] {
            const auto channel = ByteChannel::make(64);
            send_two(*channel);
            std::size_t size = 0;
            const bool is_received =
                succeeds([&] { size = (is_tried ? channel->try_receive() : channel->receive())->bytes.size(); });
            EXPECT_EQ(size, is_received ? 20u : 0u);
            expect_the_rest(*channel, !is_received);
        });
}

TEST(RefusedByteChannels, AMessageThatAPromiseHasNoMemoryForStays) {
    for (const bool is_there : {false, true})
        refuse_each_allocation([is_there] {
            const auto channel = ByteChannel::make(64);
            EventLoop loop;
            if (is_there) send_two(*channel);
            std::size_t size = 0;
            const bool is_received = succeeds([&] {
                auto promise = promise_of(channel->receiving());
                if (!is_there) {
                    const NoAllocationFails here;
                    send_two(*channel);
                }
                size = loop.run_until(promise)->bytes.size();
            });
            if (!is_there && channel->try_send(pattern(56, 3))) return;  // the promise was refused its memory
            EXPECT_EQ(size, is_received ? 20u : 0u);
            expect_the_rest(*channel, !is_received);
        });
}

}  // namespace
