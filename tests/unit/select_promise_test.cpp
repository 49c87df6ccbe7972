// SPDX-License-Identifier: MIT
#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <variant>

#include <futon/futon.hpp>

#include "support/coroutines.hpp"
#include "support/gtest.hpp"
#include "support/queue_executor.hpp"
#include "support/tokens.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using futon::Agent;
using futon::EventLoop;
using futon::make_promise;
using futon::notify;
using futon::Promise;
using futon::select_async;
using futon::settled;
using futon::timeout;
using futon::waiting;
using futon::test::OwnedCoroutine;
using futon::test::QueueExecutor;
using futon::test::Tokens;
using futon::test::waiting_at;

/// A promise, and a primitive that may be chosen beside it.
class SelectPromise : public testing::Test {
protected:
    Promise<std::size_t> choose() {
        const auto chosen = co_await select_async(settled(promise()), Tokens::Take(tokens));
        co_return chosen.index();
    }
    Promise<int>& promise() { return pair->first; }
    futon::PromiseSource<int>& source() { return pair->second; }

    std::optional<EventLoop> loop{std::in_place};
    std::optional<std::pair<Promise<int>, futon::PromiseSource<int>>> pair{make_promise<int>()};
    Tokens tokens;
};

TEST_F(SelectPromise, YieldsTheValueThatComesLaterAndThePromiseKeepsIt) {
    auto choosing = [&]() -> Promise<int> {
        const auto chosen = co_await select_async(Tokens::Take(tokens), settled(promise()));
        co_return std::get<1>(chosen);
    };
    const auto chosen = choosing();

    source().fulfil(7);

    EXPECT_FALSE(chosen.is_settled());
    EXPECT_EQ(loop->run_until(chosen), 7);
    EXPECT_EQ(loop->run_until(promise()), 7);
    EXPECT_EQ(waiting_at(tokens), 0u);
}

TEST_F(SelectPromise, GoesOnAtOnceWhereAPromiseHasSettled) {
    source().fulfil(7);

    const auto chosen = choose();

    EXPECT_TRUE(chosen.is_settled());
    EXPECT_EQ(loop->run_until(chosen), 0u);
}

TEST_F(SelectPromise, YieldsWhatAnotherThreadFulfils) {
    const auto chosen = choose();
    const std::jthread worker([&] { source().fulfil(7); });

    EXPECT_EQ(loop->run_until(chosen), 0u);
}

TEST_F(SelectPromise, StaysUsableWhereAnotherIsChosen) {
    auto chosen = choose();
    tokens.release();
    EXPECT_EQ(loop->run_until(chosen), 1u);

    auto again = choose();
    source().fulfil(7);

    EXPECT_EQ(loop->run_until(again), 0u);
    EXPECT_EQ(loop->run_until(promise()), 7);
}

TEST_F(SelectPromise, TakesNoTokenWhereThePromiseIsChosen) {
    const auto chosen = choose();
    source().fulfil(7);
    loop->run_until(chosen);

    EXPECT_EQ(tokens.release(), 0u);
    EXPECT_EQ(tokens.available(), 1);
}

TEST_F(SelectPromise, ThrowsTheExceptionOfTheChosenPromise) {
    const auto chosen = choose();
    source().reject(std::make_exception_ptr(std::runtime_error("no")));

    EXPECT_THROW(loop->run_until(chosen), std::runtime_error);

    pair.reset();
    EXPECT_NO_THROW(loop->run());  // it was seen
}

TEST_F(SelectPromise, AnExceptionThatItLeftIsStillReported) {
    auto chosen = choose();
    tokens.release();
    EXPECT_EQ(loop->run_until(chosen), 1u);

    source().reject(std::make_exception_ptr(std::runtime_error("no")));
    pair.reset();

    EXPECT_THROW(loop->run(), std::runtime_error);
}

TEST_F(SelectPromise, AnExceptionThatItMissedByALittleIsStillReported) {
    auto chosen = choose();
    tokens.release();  // claims the select; its coroutine has not run yet
    source().reject(std::make_exception_ptr(std::runtime_error("no")));
    EXPECT_EQ(loop->run_until(chosen), 1u);

    pair.reset();

    EXPECT_THROW(loop->run(), std::runtime_error);
}

TEST_F(SelectPromise, AnExceptionOfAPromiseThatIsDroppedMeanwhileIsThrownHereAndNotReported) {
    auto failing = [](std::atomic<int>& word) -> Promise<int> {
        co_await futon::wait_async(word, 0);
        throw std::runtime_error("no");
    };
    std::atomic<int> word{0};
    std::optional<Promise<int>> dropped(failing(word));
    auto choosing = [&]() -> Promise<void> {
        static_cast<void>(co_await select_async(settled(*dropped), Tokens::Take(tokens)));
    };
    const auto chosen = choosing();
    dropped.reset();
    notify(word);

    EXPECT_THROW(loop->run_until(chosen), std::runtime_error);
    EXPECT_NO_THROW(loop->poll());
}

TEST_F(SelectPromise, TwiceTheSamePromiseIsChosenOnce) {
    auto choosing = [&]() -> Promise<bool> {
        const auto chosen = co_await select_async(settled(promise()), settled(promise()));
        co_return std::visit([](int value) { return value == 7; }, chosen);
    };
    const auto chosen = choosing();
    source().fulfil(7);

    EXPECT_TRUE(loop->run_until(chosen));
}

TEST_F(SelectPromise, SeveralSelectsOfOnePromiseAllYieldIt) {
    const auto first = choose();
    const auto second = choose();
    source().fulfil(7);

    EXPECT_EQ(loop->run_until(first) + loop->run_until(second), 0u);
}

TEST_F(SelectPromise, IsTriedAgainAfterAWakeUpInVain) {
    const auto chosen = choose();
    tokens.wake_in_vain();
    loop->poll();
    EXPECT_FALSE(chosen.is_settled());

    source().fulfil(7);

    EXPECT_EQ(loop->run_until(chosen), 0u);
    EXPECT_EQ(tokens.passed_on, 0);
}

TEST_F(SelectPromise, ThatSettlesDuringAWakeUpInVainIsChosenAndTheWakeUpPassedOn) {
    const auto chosen = choose();
    tokens.wake_in_vain();
    source().fulfil(7);

    EXPECT_EQ(loop->run_until(chosen), 0u);
    EXPECT_EQ(tokens.passed_on, 1);
}

TEST_F(SelectPromise, ADestroyedCoroutineLeavesThePromiseAsItWas) {
    auto select_owned = [&]() -> OwnedCoroutine {
        static_cast<void>(co_await select_async(settled(promise()), Tokens::Take(tokens)));
    };
    OwnedCoroutine waiting_one = select_owned();
    OwnedCoroutine chosen_one = select_owned();
    waiting_one.destroy();
    source().fulfil(7);
    chosen_one.destroy();

    EXPECT_EQ(loop->run_until(promise()), 7);
    EXPECT_EQ(waiting_at(tokens), 0u);
}

TEST_F(SelectPromise, EndsWithItsLoop) {
    const auto pending = choose();
    const auto chosen = choose();

    loop.reset();

    EXPECT_FALSE(pending.is_settled() || chosen.is_settled());
    EXPECT_EQ(waiting_at(tokens), 0u);
}

TEST_F(SelectPromise, EndsWithItsLoopWhenThePromiseHasJustSettled) {
    const auto chosen = choose();
    source().fulfil(7);

    loop.reset();

    EXPECT_FALSE(chosen.is_settled());
    EXPECT_TRUE(promise().is_settled());
}

TEST_F(SelectPromise, OfALoopThatHasEndedThrows) {
    const EventLoop outer_choice;
    std::optional<Promise<int>> broken;
    {
        EventLoop inner;
        std::atomic<int> word{0};
        auto waits = [&]() -> Promise<int> {
            co_await futon::wait_async(word, 0);
            co_return 1;
        };
        broken.emplace(waits());
    }
    bool has_thrown = false;
    auto choosing = [&]() -> Promise<void> {
        try {
            static_cast<void>(co_await select_async(settled(*broken), Tokens::Take(tokens)));
        } catch (const std::logic_error&) {
            has_thrown = true;
        }
    };
    const auto chosen = choosing();

    EXPECT_TRUE(has_thrown);
}

TEST_F(SelectPromise, ThatWasMovedFromThrows) {
    Promise<int> moved(std::move(promise()));

    EXPECT_THROW(static_cast<void>(settled(promise())), std::logic_error);

    pair->first = std::move(moved);
}

TEST_F(SelectPromise, OfVoidYieldsMonostate) {
    auto nothing = futon::fulfilled();
    auto choosing = [&]() -> Promise<std::size_t> {
        const auto chosen = co_await select_async(Tokens::Take(tokens), settled(nothing));
        static_cast<void>(std::get<std::monostate>(chosen));
        co_return chosen.index();
    };

    EXPECT_EQ(loop->run_until(choosing()), 1u);
}

TEST_F(SelectPromise, AnRvalueIsMovedOutOnlyIfItIsChosen) {
    auto [boxed, box_source] = make_promise<std::unique_ptr<int>>();
    std::unique_ptr<int> got;
    auto choosing = [&, &boxed = boxed]() -> Promise<std::size_t> {
        auto chosen = co_await select_async(settled(std::move(boxed)), Tokens::Take(tokens));
        if (auto* box = std::get_if<0>(&chosen)) got = std::move(*box);
        co_return chosen.index();
    };
    tokens.release();
    EXPECT_EQ(loop->run_until(choosing()), 1u);

    box_source.fulfil(std::make_unique<int>(7));

    EXPECT_EQ(loop->run_until(choosing()), 0u);
    ASSERT_NE(got, nullptr);
    EXPECT_EQ(*got, 7);
}

TEST_F(SelectPromise, BesideADeadlineTimesOut) {
    auto choosing = [&]() -> Promise<std::size_t> {
        co_return (co_await select_async(settled(promise()), timeout(1ms))).index();
    };

    EXPECT_EQ(loop->run_until(choosing()), 1u);
    source().fulfil(7);
    EXPECT_EQ(loop->run_until(promise()), 7);
}

TEST(SelectPromiseOnAQueue, ASettlingThatAnExecutorDoesNotGiveBackEndsByItself) {
    QueueExecutor queue;
    const Agent agent(queue);
    Tokens tokens;
    auto [promise, source] = make_promise<int>();
    auto choosing = [&, &promise = promise]() -> Promise<std::size_t> {
        co_return (co_await select_async(settled(promise), Tokens::Take(tokens))).index();
    };
    auto chosen = choosing();

    tokens.hand_off();  // posts the select
    source.fulfil(7);   // posts the reaction, which finds that the select is over
    queue.run_all();

    EXPECT_TRUE(chosen.is_settled());
    EXPECT_EQ(tokens.given_back, 0);
}

using SelectPromiseDeathTest = SelectPromise;

TEST_F(SelectPromiseDeathTest, APromiseIsSelectedOnItsOwnThread) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_DEATH(std::jthread([&] { static_cast<void>(settled(promise())); }).join(),
                 "a promise is used on the thread of its agent only");
}

}  // namespace
