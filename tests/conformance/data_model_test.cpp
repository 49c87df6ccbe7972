// SPDX-License-Identifier: MIT
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/waiting.hpp"

namespace {

using futon::BigInt64Array;
using futon::EventLoop;
using futon::Int32Array;
using futon::Promise;
using futon::SharedArrayBuffer;
using futon::WaitResult;
using futon::test::until_waiting;
using futon::test::waiting_at;

TEST(WaiterList, IsSharedByAnInt32AndABigInt64AtTheSameAddress) {
    EventLoop loop;
    const SharedArrayBuffer buffer(16);
    const Int32Array narrow(buffer);
    const BigInt64Array wide(buffer);
    auto waiting_narrow = wait_async(narrow[2], 0).promise();
    auto waiting_wide = wait_async(wide[1], 0).promise();

    const std::size_t woken = notify(narrow[2]);

    EXPECT_EQ(woken, 2u);
    EXPECT_EQ(loop.run_until(waiting_narrow), WaitResult::ok);
    EXPECT_EQ(loop.run_until(waiting_wide), WaitResult::ok);
}

TEST(WaiterList, IsNotSharedByOverlappingElementsAtDifferentAddresses) {
    EventLoop loop;
    const SharedArrayBuffer buffer(8);
    const auto promise = wait_async(BigInt64Array(buffer)[0], 0).promise();

    const std::size_t woken = notify(Int32Array(buffer)[1]);

    EXPECT_EQ(woken, 0u);
    EXPECT_EQ(waiting_at(BigInt64Array(buffer)[0]), 1u);
}

TEST(WaiterList, IsSharedByViewsWithDifferentOffsets) {
    EventLoop loop;
    const SharedArrayBuffer buffer(16);
    const auto promise = wait_async(Int32Array(buffer)[3], 0).promise();

    const std::size_t woken = notify(Int32Array(buffer, 8)[1]);

    EXPECT_EQ(woken, 1u);
}

TEST(WaiterList, IsSharedByHandlesOfOneBuffer) {
    EventLoop loop;
    const SharedArrayBuffer buffer(4);
    const SharedArrayBuffer other = buffer;
    const auto promise = wait_async(Int32Array(buffer)[0], 0).promise();

    const std::size_t woken = notify(Int32Array(other)[0]);

    EXPECT_EQ(woken, 1u);
}

TEST(WaiterList, IsNotSharedByEqualIndicesOfDifferentBuffers) {
    EventLoop loop;
    const SharedArrayBuffer buffer(4);
    const SharedArrayBuffer other(4);
    const auto promise = wait_async(Int32Array(buffer)[0], 0).promise();

    const std::size_t woken = notify(Int32Array(other)[0]);

    EXPECT_EQ(woken, 0u);
}

TEST(WaiterList, IsSharedByAllAgents) {
    const SharedArrayBuffer buffer(4);
    const Int32Array words(buffer);
    std::vector<std::jthread> agents;
    for (int i = 0; i < 3; ++i) agents.emplace_back([words] { EXPECT_EQ(wait(words[0], 0), WaitResult::ok); });
    until_waiting(words[0], 3);

    EXPECT_EQ(notify(words[0]), 3u);
}

TEST(WaiterList, MayHoldManyPromisesOfOneAgent) {
    EventLoop loop;
    const Int32Array words(SharedArrayBuffer(4));
    std::vector<Promise<WaitResult>> promises;
    for (int i = 0; i < 100; ++i) promises.push_back(wait_async(words[0], 0).promise());

    EXPECT_EQ(notify(words[0]), 100u);
}

TEST(WaiterList, MayHoldPromisesAndTheBlockedThreadOfOneAgent) {
    EventLoop loop(futon::CanBlock::yes);
    const Int32Array words(SharedArrayBuffer(4));
    auto promise = wait_async(words[0], 0).promise();
    std::jthread notifier([words] {
        until_waiting(words[0], 2);
        EXPECT_EQ(notify(words[0]), 2u);
    });

    const WaitResult result = wait(words[0], 0);

    EXPECT_EQ(result, WaitResult::ok);
    EXPECT_EQ(loop.run_until(promise), WaitResult::ok);
}

TEST(WaiterList, IsSeparateForEachElement) {
    EventLoop loop;
    const Int32Array words(SharedArrayBuffer(4096));
    std::vector<Promise<WaitResult>> promises;
    for (std::size_t i = 0; i < words.length(); ++i) promises.push_back(wait_async(words[i], 0).promise());

    for (std::size_t i = 0; i < words.length(); ++i) EXPECT_EQ(notify(words[i]), 1u);
}

TEST(WaiterList, NotifyHappensBeforeTheReturnOfTheWokenWait) {
    constexpr int rounds = 1000;
    const Int32Array words(SharedArrayBuffer(4));
    int plain = 0;
    int seen = 0;
    for (int round = 0; round < rounds; ++round) {
        std::jthread waiter([&, words] {
            if (wait(words[0], 0) == WaitResult::ok) seen += plain;
        });
        until_waiting(words[0], 1);
        plain = 1;
        notify(words[0]);
    }

    EXPECT_EQ(seen, rounds);
}

TEST(WaiterList, NotifyWithoutWaitersHappensBeforeALaterNotEqual) {
    constexpr int rounds = 1000;
    int plain = 0;
    int sum = 0;
    for (int round = 0; round < rounds; ++round) {
        const Int32Array words(SharedArrayBuffer(4));
        std::jthread waiter([&, words] {
            while (wait(words[0], 0, std::chrono::milliseconds(1)) != WaitResult::not_equal) {
            }
            sum += plain;
        });
        plain = 1;
        words[0].store(1);
        notify(words[0]);
        waiter.join();
        plain = 0;
    }

    EXPECT_EQ(sum, rounds);
}

TEST(WaiterList, IsEmptyOnceItsBufferIsFreed) {
    EventLoop loop;
    std::optional<SharedArrayBuffer> buffer(std::in_place, 4);
    const futon::Word<std::int32_t> word = Int32Array(*buffer)[0];
    { const auto promise = wait_async(word, 0).promise(); }

    buffer.reset();

    EXPECT_EQ(waiting_at(word), 0u);
}

}  // namespace
