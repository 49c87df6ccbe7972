// SPDX-License-Identifier: MIT
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <stop_token>
#include <thread>
#include <vector>

#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using futon::BigInt64Array;
using futon::Deadline;
using futon::Int32Array;
using futon::notify;
using futon::SharedArrayBuffer;
using futon::wait;
using futon::WaitResult;
using futon::Word;
using futon::test::until_waiting;
using futon::test::waiting_at;

TEST(Wait, ResultStringsAreThoseOfTheSpecification) {
    EXPECT_EQ(to_string(WaitResult::ok), "ok");
    EXPECT_EQ(to_string(WaitResult::not_equal), "not-equal");
    EXPECT_EQ(to_string(WaitResult::timed_out), "timed-out");
}

TEST(Wait, ReturnsNotEqualAtOnce) {
    std::atomic<int> cell{1};

    EXPECT_EQ(wait(cell, 0), WaitResult::not_equal);
}

TEST(Wait, ReturnsNotEqualRatherThanTimedOut) {
    std::atomic<int> cell{1};

    EXPECT_EQ(wait(cell, 0, 0ms), WaitResult::not_equal);
    EXPECT_EQ(wait(cell, 0, -1ms), WaitResult::not_equal);
}

TEST(Wait, ReturnsNotEqualRatherThanCancelled) {
    std::atomic<int> cell{1};
    std::stop_source source;
    source.request_stop();

    EXPECT_EQ(wait(cell, 0, source.get_token()), WaitResult::not_equal);
}

TEST(Wait, IsNotQueuedWhenNotEqual) {
    std::atomic<int> cell{1};

    wait(cell, 0, 0ms);

    EXPECT_EQ(waiting_at(cell), 0u);
    EXPECT_EQ(notify(cell), 0u);
}

TEST(Wait, ReturnsOkWhenNotified) {
    std::atomic<int> cell{0};
    const std::jthread waiter([&] { EXPECT_EQ(wait(cell, 0), WaitResult::ok); });
    until_waiting(cell, 1);

    EXPECT_EQ(notify(cell), 1u);
}

TEST(Wait, TimesOutNoEarlierThanItsDeadline) {
    std::atomic<int> cell{0};

    for (const auto timeout : {1ns, 1000ns, 100'000ns, 3'000'000ns}) {
        const auto begin = Clock::now();
        EXPECT_EQ(wait(cell, 0, timeout), WaitResult::timed_out);
        EXPECT_GE(Clock::now() - begin, timeout);
    }
}

TEST(Wait, DequeuesOnTimeout) {
    std::atomic<int> cell{0};

    wait(cell, 0, 1ms);

    EXPECT_EQ(waiting_at(cell), 0u);
}

TEST(Wait, IsNotWokenByAStore) {
    std::atomic<int> cell{0};
    std::atomic<bool> has_returned{false};
    std::jthread waiter([&] {
        EXPECT_EQ(wait(cell, 0), WaitResult::ok);
        has_returned = true;
    });
    until_waiting(cell, 1);

    for (int i = 1; i < 1000; ++i) cell.store(i);

    EXPECT_EQ(waiting_at(cell), 1u);
    EXPECT_FALSE(has_returned.load());
    EXPECT_EQ(notify(cell), 1u);
}

TEST(Wait, ReturnsOkWhenNotifiedWithoutAChangeOfValue) {
    std::atomic<int> cell{0};
    const std::jthread waiter([&] { EXPECT_EQ(wait(cell, 0, 1h), WaitResult::ok); });
    until_waiting(cell, 1);

    notify(cell);

    EXPECT_EQ(cell.load(), 0);
}

TEST(Wait, IsCancelledByItsStopToken) {
    std::atomic<int> cell{0};
    std::stop_source source;
    const std::jthread waiter([&] { EXPECT_EQ(wait(cell, 0, {1h, source.get_token()}), WaitResult::cancelled); });
    until_waiting(cell, 1);

    source.request_stop();

    until_waiting(cell, 0);
}

TEST(Wait, IsCancelledAtOnceWhenStopWasRequestedBefore) {
    std::atomic<int> cell{0};
    std::stop_source source;
    source.request_stop();

    EXPECT_EQ(wait(cell, 0, source.get_token()), WaitResult::cancelled);
    EXPECT_EQ(wait(cell, 0, {0ms, source.get_token()}), WaitResult::cancelled);
}

TEST(Wait, ComparesAllBytesOfAWideWord) {
    const BigInt64Array words(SharedArrayBuffer(8));
    words[0].store(std::int64_t{1} << 40);

    EXPECT_EQ(wait(words[0], 0, 0ms), WaitResult::not_equal);
    EXPECT_EQ(wait(words[0], std::int64_t{1} << 40, 0ms), WaitResult::timed_out);
}

TEST(Wait, ComparesNoByteBesideANarrowWord) {
    const SharedArrayBuffer buffer(8);
    BigInt64Array(buffer)[0].store(-1);
    const futon::Uint8Array bytes(buffer);
    bytes[3].store(0);

    EXPECT_EQ(wait(bytes[3], std::uint8_t{0}, 0ms), WaitResult::timed_out);
}

TEST(Wait, AcceptsTheExtremesOfAnInteger) {
    const BigInt64Array words(SharedArrayBuffer(8));

    for (const std::int64_t value :
         {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()}) {
        words[0].store(value);
        EXPECT_EQ(wait(words[0], value, 0ms), WaitResult::timed_out);
        EXPECT_EQ(wait(words[0], value ^ 1, 0ms), WaitResult::not_equal);
    }
}

template <class T>
void expect_wait_and_notify(T held, T other) {
    T value = held;
    const Word<T> word(value);
    EXPECT_EQ(wait(word, other, 0ms), WaitResult::not_equal);
    const std::jthread waiter([&] { EXPECT_EQ(wait(word, held), WaitResult::ok); });
    until_waiting(word, 1);
    EXPECT_EQ(notify(word), 1u);
}

TEST(Wait, AcceptsWordsOfEveryWidth) {
    expect_wait_and_notify<std::int8_t>(-1, 1);
    expect_wait_and_notify<std::uint16_t>(65535, 1);
    expect_wait_and_notify<std::int32_t>(-1, 1);
    expect_wait_and_notify<std::uint64_t>(1, std::uint64_t{1} << 63);
}

TEST(Wait, AcceptsWordsThatAreNoIntegers) {
    enum class Phase : std::uint16_t { begin, end };
    struct alignas(4) Pair {
        std::int16_t first;
        std::int16_t second;
    };
    int target = 0;
    int* const none = nullptr;

    expect_wait_and_notify(true, false);
    expect_wait_and_notify(Phase::begin, Phase::end);
    expect_wait_and_notify(&target, none);
    expect_wait_and_notify(Pair{1, 2}, Pair{1, 3});
}

TEST(Wait, LosesNoWakeThatFollowsAChangeOfValue) {
    constexpr int rounds = 20'000;
    std::atomic<int> next_round{0};
    const auto alternate = [&](int first_round) {
        for (int round = first_round; round < rounds; round += 2) {
            for (int seen = next_round.load(); seen != round; seen = next_round.load()) wait(next_round, seen);
            next_round.store(round + 1);
            notify(next_round);
        }
    };

    {
        const std::jthread even(alternate, 0);
        const std::jthread odd(alternate, 1);
    }

    EXPECT_EQ(next_round.load(), rounds);
}

}  // namespace
