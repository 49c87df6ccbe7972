// SPDX-License-Identifier: MIT
#include <cstdint>
#include <thread>

#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/waiting.hpp"

namespace {

using futon::Agent;
using futon::CanBlock;
using futon::EventLoop;
using futon::Int32Array;
using futon::SharedArrayBuffer;
using futon::WaitResult;
using futon::Word;
using futon::test::until_waiting;
using futon::test::waiting_at;

TEST(Agent, MayBlockByDefault) {
    std::thread([] { EXPECT_TRUE(Agent::current().can_block()); }).join();
}

TEST(Agent, CanBlockIsOfEachAgent) {
    const Agent agent(CanBlock::no);

    std::thread([] { EXPECT_TRUE(Agent::current().can_block()); }).join();

    EXPECT_FALSE(Agent::current().can_block());
}

TEST(Agent, WaitersOfAnEndedAgentAreNotCountedByNotify) {
    std::int32_t cell = 0;
    const Word word(cell);
    std::thread([&] {
        EventLoop loop;
        static_cast<void>(wait_async(word, 0).promise().then([](WaitResult) {}));
    }).join();

    EXPECT_EQ(notify(word), 0u);
}

TEST(Agent, EndingAnAgentChangesNoSharedMemory) {
    const Int32Array words(SharedArrayBuffer(4));
    std::thread([&] {
        const EventLoop loop;
        words[0].store(1);
    }).join();

    EXPECT_EQ(words[0].load(), 1);
}

TEST(Agent, KeepsThePromiseOfAPendingWaitAlive) {
    EventLoop loop;
    const Int32Array words(SharedArrayBuffer(4));
    WaitResult seen = WaitResult::not_equal;
    static_cast<void>(wait_async(words[0], 0).promise().then([&](WaitResult result) { seen = result; }));

    notify(words[0]);
    loop.run();

    EXPECT_EQ(seen, WaitResult::ok);
}

TEST(GrowableSharedArrayBuffer, GrowKeepsBlockedThreadsQueued) {
    SharedArrayBuffer buffer(4, 1 << 20);
    const Int32Array words(buffer);
    const std::jthread waiter([words] { EXPECT_EQ(wait(words[0], 0), WaitResult::ok); });
    until_waiting(words[0], 1);

    buffer.grow(1 << 20);

    EXPECT_EQ(waiting_at(words[0]), 1u);
    EXPECT_EQ(notify(words[0]), 1u);
}

TEST(GrowableSharedArrayBuffer, GrowKeepsPromisesQueued) {
    EventLoop loop;
    SharedArrayBuffer buffer(4, 1 << 20);
    auto promise = wait_async(Int32Array(buffer)[0], 0).promise();

    buffer.grow(1 << 20);

    EXPECT_EQ(notify(Int32Array(buffer)[0]), 1u);
    EXPECT_EQ(loop.run_until(promise), WaitResult::ok);
}

TEST(GrowableSharedArrayBuffer, GrowKeepsEarlierWordsValid) {
    SharedArrayBuffer buffer(4, 1 << 20);
    const Word<std::int32_t> word = Int32Array(buffer)[0];
    word.store(7);

    buffer.grow(1 << 20);

    EXPECT_EQ(Int32Array(buffer)[0].address(), word.address());
    EXPECT_EQ(word.load(), 7);
}

TEST(GrowableSharedArrayBuffer, WaitAsyncWorksOnElementsAddedByGrow) {
    EventLoop loop;
    SharedArrayBuffer buffer(4, 1 << 20);
    const Int32Array words(buffer);
    buffer.grow(1 << 20);
    auto promise = wait_async(words.at(words.length() - 1), 0).promise();

    EXPECT_EQ(notify(words.at(words.length() - 1)), 1u);
    EXPECT_EQ(loop.run_until(promise), WaitResult::ok);
}

}  // namespace
