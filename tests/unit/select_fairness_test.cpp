// SPDX-License-Identifier: MIT
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <thread>
#include <variant>

#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/tokens.hpp"

namespace {

using namespace std::chrono_literals;
using futon::EventLoop;
using futon::Promise;
using futon::select;
using futon::select_async;
using futon::timeout;
using futon::test::Tokens;

constexpr int rounds = 6000;

// Far from what chance does to a fair choice, and from what another choice does.
void expect_half(int count, int of) {
    EXPECT_GT(count, of * 4 / 10);
    EXPECT_LT(count, of * 6 / 10);
}

TEST(SelectFairness, OperationsThatAreReadyAreChosenEquallyOften) {
    std::array<Tokens, 3> tokens{Tokens(rounds), Tokens(rounds), Tokens(rounds)};
    std::array<int, 3> chosen{};

    for (int i = 0; i < rounds; ++i)
        ++chosen[select(Tokens::Take(tokens[0]), Tokens::Take(tokens[1]), Tokens::Take(tokens[2])).index()];

    for (const int count : chosen) expect_half(count * 3 / 2, rounds);
}

TEST(SelectFairness, ChoicesThatAreNotReadyGiveNoOtherAnAdvantage) {
    Tokens first(rounds);
    Tokens empty;
    Tokens last(rounds);
    std::array<int, 4> chosen{};

    for (int i = 0; i < rounds; ++i)
        ++chosen[select(Tokens::Take(first), Tokens::Take(empty), timeout(0ms), Tokens::Take(last)).index()];

    expect_half(chosen[0], rounds);
    expect_half(chosen[3], rounds);
}

TEST(SelectFairness, TwoSelectsThatAlternateAreBothFair) {
    Tokens first(2 * rounds);
    Tokens second(2 * rounds);
    int of_one = 0;
    int of_other = 0;

    for (int i = 0; i < rounds; ++i) {
        if (select(Tokens::Take(first), Tokens::Take(second)).index() == 0) ++of_one;
        if (select(Tokens::Take(first), Tokens::Take(second)).index() == 0) ++of_other;
    }

    expect_half(of_one, rounds);
    expect_half(of_other, rounds);
}

TEST(SelectFairness, ACoroutineChoosesEquallyOften) {
    EventLoop loop;
    Tokens first(rounds);
    Tokens second(rounds);
    int of_first = 0;
    auto choose = [&]() -> Promise<void> {
        for (int i = 0; i < rounds; ++i) {
            const auto chosen = co_await select_async(Tokens::Take(first), Tokens::Take(second));
            if (chosen.index() == 0) ++of_first;
        }
    };

    loop.run_until(choose());

    expect_half(of_first, rounds);
}

TEST(SelectFairness, InOrderTheFirstThatIsReadyIsChosen) {
    Tokens empty;
    Tokens first(rounds);
    Tokens second(rounds);

    for (int i = 0; i < rounds; ++i)
        static_cast<void>(select(futon::in_order, Tokens::Take(empty), Tokens::Take(first), Tokens::Take(second)));

    EXPECT_EQ(first.available(), 0);
    EXPECT_EQ(second.available(), rounds);
}

TEST(SelectFairness, InOrderACoroutineChoosesTheFirstThatIsReady) {
    EventLoop loop;
    Tokens first(100);
    Tokens second(100);
    auto choose = [&]() -> Promise<void> {
        for (int i = 0; i < 100; ++i)
            static_cast<void>(
                co_await select_async(futon::in_order, Tokens::Take(first), Tokens::Take(second), timeout(1h)));
    };

    loop.run_until(choose());

    EXPECT_EQ(first.available(), 0);
    EXPECT_EQ(second.available(), 100);
}

TEST(SelectFairness, AWakeUpInVainTriesWhatIsReadyFairly) {
    EventLoop loop;
    Tokens woken;
    Tokens first;
    Tokens second;
    int of_first = 0;
    for (int i = 0; i < 400; ++i) {
        std::size_t index = 0;
        auto choose = [&]() -> Promise<void> {
            index = (co_await select_async(Tokens::Take(woken), Tokens::Take(first), Tokens::Take(second))).index();
        };
        const auto promise = choose();
        woken.wake_in_vain();  // what is released from now on is found by the try that follows
        first.release();
        second.release();
        loop.run_until(promise);
        if (index == 1) ++of_first;
        EXPECT_TRUE(first.try_take() != second.try_take());
    }

    expect_half(of_first, 400);
}

}  // namespace
