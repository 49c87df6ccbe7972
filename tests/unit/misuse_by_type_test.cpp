// SPDX-License-Identifier: MIT
// What compiles does what it looks like: assignments of words, counts of notify, arguments in other places.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>

#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/waiting.hpp"

namespace {

using futon::EventLoop;
using futon::Int32Array;
using futon::SharedArrayBuffer;
using futon::WaitResult;
using futon::Word;
using futon::test::until_waiting;

TEST(Word, StoresAValueThatIsAssigned) {
    std::int32_t cell = 0;
    const Word word(cell);

    EXPECT_EQ(word = 7, 7);

    EXPECT_EQ(cell, 7);
    EXPECT_EQ(word.address(), &cell);
}

TEST(Word, StoresALvalueThatIsAssignedAndDoesNotViewIt) {
    std::int32_t cell = 0;
    std::int32_t value = 7;
    const Word word(cell);

    word = value;
    value = 8;

    EXPECT_EQ(word.load(), 7);
}

TEST(Word, IsNotAssignedToAnother) {
    EXPECT_FALSE((std::is_assignable_v<Word<int>&, const Word<int>&>));
    EXPECT_FALSE((std::is_assignable_v<Word<int>&, Word<int>>));
    EXPECT_TRUE((std::is_copy_constructible_v<Word<int>>));
}

TEST(TypedArray, StoresAValueThatIsAssignedToAnElement) {
    SharedArrayBuffer buffer(16);
    const Int32Array array(buffer);

    array[0] = 7;
    array.at(1) = array[0].load();

    EXPECT_EQ(array[0].load(), 7);
    EXPECT_EQ(array[1].load(), 7);
}

/// Wakes with a count that is none, then wakes the waiter.
template <class Count>
void expect_that_wakes_none(Count count) {
    std::atomic<int> cell{0};
    std::jthread waiter([&] { EXPECT_EQ(futon::wait(cell, 0), WaitResult::ok); });
    until_waiting(cell, 1);

    EXPECT_EQ(futon::notify(cell, count), 0u);
    EXPECT_EQ(futon::notify(Word<int>(cell), count), 0u);
    EXPECT_EQ(futon::notify(cell, 1), 1u);
}

TEST(Notify, WakesNoneForACountThatIsNotPositive) {
    expect_that_wakes_none(0);
    expect_that_wakes_none(-1);
    expect_that_wakes_none(std::numeric_limits<long long>::min());
    const std::size_t have = 2;
    const std::size_t want = 5;
    expect_that_wakes_none(have - want);  // has wrapped around
    expect_that_wakes_none(std::uint32_t{1} - std::uint32_t{3});
}

TEST(Notify, WakesAllForEveryoneAndForLargeCounts) {
    std::atomic<int> cell{0};
    for (const std::size_t count : {futon::everyone, std::size_t{1} << 20}) {
        std::jthread waiter([&] { EXPECT_EQ(futon::wait(cell, 0), WaitResult::ok); });
        until_waiting(cell, 1);
        EXPECT_EQ(futon::notify(cell, count), 1u);
    }
}

TEST(Wait, TakesAStopTokenInThePlaceOfADeadline) {
    std::atomic<int> cell{0};
    int plain = 0;
    std::stop_source stop;
    stop.request_stop();

    EXPECT_EQ(futon::wait(cell, 0, stop.get_token()), WaitResult::cancelled);
    EXPECT_EQ(futon::wait(Word(plain), 0, stop.get_token()), WaitResult::cancelled);

    EventLoop loop;
    EXPECT_EQ(futon::wait_async(cell, 0, stop.get_token()), WaitResult::cancelled);
    EXPECT_EQ(futon::wait_async(Word(plain), 0, stop.get_token()), WaitResult::cancelled);
}

TEST(WaitAsyncResult, ComparesWithAResultAlsoIfItIsAPromise) {
    EventLoop loop;
    std::atomic<int> cell{0};

    EXPECT_EQ(futon::wait_async(cell, 1), WaitResult::not_equal);
    EXPECT_FALSE(futon::wait_async(cell, 0) == WaitResult::not_equal);
    EXPECT_TRUE(futon::wait_async(cell, 0) != WaitResult::ok);
}

TEST(WaitAsyncResult, NamesAsyncWhereTheOtherAnswerIsTaken) {
    EventLoop loop;
    std::atomic<int> cell{0};
    auto promised = futon::wait_async(cell, 0);
    auto known = futon::wait_async(cell, 1);

    for (const auto& take : {std::function<void()>([&] { static_cast<void>(promised.value()); }),
                             std::function<void()>([&] { static_cast<void>(known.promise()); })}) {
        try {
            take();
            FAIL() << "it gives an answer that it does not have";
        } catch (const std::logic_error& error) {
            EXPECT_NE(std::string(error.what()).find("ask async() first"), std::string::npos);
        }
    }
}

TEST(RunUntil, TakesAConstantPromise) {
    EventLoop loop;
    const futon::Promise<int> promise = futon::fulfilled(7);

    EXPECT_EQ(loop.run_until(promise), 7);
    EXPECT_EQ(loop.run_until(promise), 7);
}

}  // namespace
