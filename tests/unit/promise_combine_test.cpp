// SPDX-License-Identifier: MIT
#include <atomic>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include <futon/futon.hpp>

#include "support/gtest.hpp"

namespace {

using futon::EventLoop;
using futon::fulfilled;
using futon::Promise;
using futon::PromiseSource;

std::exception_ptr failure(const char* text) {
    return std::make_exception_ptr(std::runtime_error(text));
}

class PromiseCombine : public testing::Test {
protected:
    EventLoop loop;
};

TEST_F(PromiseCombine, FulfilledIsSettledAtOnce) {
    const auto promise = futon::fulfilled(std::string("value"));
    EXPECT_TRUE(promise.is_settled());
    EXPECT_EQ(loop.run_until(promise), "value");
    EXPECT_TRUE(futon::fulfilled().is_settled());
}

TEST_F(PromiseCombine, RejectedThrowsWhatItWasGiven) {
    EXPECT_THROW(loop.run_until(futon::rejected<int>(failure("no paper"))), std::runtime_error);
}

TEST_F(PromiseCombine, AllGivesTheValuesInTheirOrderWhicheverCameFirst) {
    auto [first, first_source] = futon::make_promise<int>();
    auto [second, second_source] = futon::make_promise<std::string>();
    auto [third, third_source] = futon::make_promise<void>();
    auto all = futon::all(std::move(first), std::move(second), std::move(third));
    third_source.fulfil();
    second_source.fulfil("two");
    loop.poll();
    EXPECT_FALSE(all.is_settled());
    first_source.fulfil(1);

    const auto [one, two, none] = loop.run_until(std::move(all));

    EXPECT_EQ(one, 1);
    EXPECT_EQ(two, "two");
}

TEST_F(PromiseCombine, AllIsRejectedByTheFirstExceptionAlthoughOthersArePending) {
    auto [first, first_source] = futon::make_promise<int>();
    auto [second, second_source] = futon::make_promise<int>();
    auto all = futon::all(std::move(first), std::move(second));
    second_source.reject(failure("the second"));

    EXPECT_THROW(loop.run_until(std::move(all)), std::runtime_error);
    first_source.reject(failure("too late, and reported to no one"));
    EXPECT_NO_THROW(loop.run());
}

TEST_F(PromiseCombine, AllTakesAVectorWithWhatIsOnlyMoved) {
    std::vector<Promise<std::unique_ptr<int>>> promises;
    for (int i = 0; i < 3; ++i) promises.push_back(futon::fulfilled(std::make_unique<int>(i)));

    const auto values = loop.run_until(futon::all(std::move(promises)));

    ASSERT_EQ(values.size(), 3u);
    EXPECT_EQ(*values[2], 2);
}

TEST_F(PromiseCombine, AllOfNothingIsFulfilled) {
    EXPECT_TRUE(loop.run_until(futon::all(std::vector<Promise<int>>())).empty());
}

TEST_F(PromiseCombine, RaceGivesTheFirstWithItsIndexAndDropsTheRest) {
    auto [first, first_source] = futon::make_promise<int>();
    auto [second, second_source] = futon::make_promise<std::string>();
    auto race = futon::race(std::move(first), std::move(second));
    second_source.fulfil("second");

    const auto winner = loop.run_until(std::move(race));
    first_source.reject(failure("too late, and reported to no one"));

    EXPECT_EQ(winner.index(), 1u);
    EXPECT_EQ(std::get<1>(winner), "second");
    EXPECT_NO_THROW(loop.run());
}

TEST_F(PromiseCombine, RaceIsRejectedIfAnExceptionComesFirst) {
    auto [first, first_source] = futon::make_promise<int>();
    auto [second, second_source] = futon::make_promise<int>();
    auto race = futon::race(std::move(first), std::move(second));
    first_source.reject(failure("first"));

    EXPECT_THROW(loop.run_until(std::move(race)), std::runtime_error);
    second_source.fulfil(2);
    loop.run();
}

TEST_F(PromiseCombine, RaceOfAVectorGivesTheIndex) {
    std::vector<Promise<void>> promises;
    auto [never, never_source] = futon::make_promise<void>();
    promises.push_back(std::move(never));
    promises.push_back(futon::fulfilled());

    EXPECT_EQ(loop.run_until(futon::race(std::move(promises))).first, 1u);
    EXPECT_THROW(static_cast<void>(futon::race(std::vector<Promise<void>>())), std::invalid_argument);
}

TEST_F(PromiseCombine, ThatIsDroppedLeavesNothingBehind) {
    auto [promise, source] = futon::make_promise<int>();
    { const auto dropped = futon::all(std::move(promise), futon::fulfilled(1)); }
    source.fulfil(1);

    loop.run();
}

TEST(PromiseCombineAtTheEnd, OfTheLoopLeavesNothingBehind) {
    std::optional<PromiseSource<int>> kept;
    {
        EventLoop loop;
        auto [promise, source] = futon::make_promise<int>();
        kept = std::move(source);
        const auto all = futon::all(std::move(promise), futon::fulfilled(1));
        loop.poll();
    }
    EXPECT_NO_THROW(kept->fulfil(1));
}

/// Throws from the move that it is told to.
struct ThrowsWhenMoved {
    explicit ThrowsWhenMoved(int& moves_left) : moves(&moves_left) {}
    ThrowsWhenMoved(ThrowsWhenMoved&& other) : moves(other.moves) {
        if (--*moves == 0) throw std::runtime_error("moved");
    }
    ThrowsWhenMoved& operator=(ThrowsWhenMoved&&) = default;

    int* moves;
};

Promise<ThrowsWhenMoved> later(int& moves) {
    co_await fulfilled().then([] {});
    co_return ThrowsWhenMoved(moves);
}

TEST(PromisesTogether, SettlesWithTheExceptionOfAMoveWhereverThatIs) {
    for (int at = 1; at < 12; ++at) {
        EventLoop loop;
        int moves = at;
        int moves_of_race = at;
        auto gathered = futon::all(later(moves), fulfilled(1));
        auto first = futon::race(later(moves_of_race), later(moves_of_race));
        loop.run();
        EXPECT_TRUE(gathered.is_settled()) << at;
        EXPECT_TRUE(first.is_settled()) << at;
        try {
            static_cast<void>(loop.run_until(gathered));
        } catch (const std::runtime_error&) {
        }
        try {
            static_cast<void>(loop.run_until(first));
        } catch (const std::runtime_error&) {
        }
    }
}

TEST(PromisesTogether, HoldsNoLoopByItself) {
    EventLoop loop;
    std::atomic<int> word{0};
    auto waiting = futon::wait_async(word, 0).promise();
    waiting.unref();
    auto other = futon::wait_async(word, 0).promise();
    other.unref();

    auto gathered = futon::all(std::move(waiting), fulfilled(1));
    auto first = futon::race(std::move(other));
    loop.run();

    EXPECT_FALSE(gathered.is_settled());
    EXPECT_FALSE(first.is_settled());
}

TEST(PromisesTogether, IsRejectedWithAnException) {
    const EventLoop loop;

    EXPECT_THROW(static_cast<void>(futon::rejected<int>(nullptr)), std::invalid_argument);
}

}  // namespace
