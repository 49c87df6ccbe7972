// SPDX-License-Identifier: MIT
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include <futon/change_and_notify.hpp>
#include <futon/core/queue/private_table.hpp>
#include <futon/core/queue/wait_table.hpp>
#include <futon/event_loop.hpp>

#include "support/gtest.hpp"

namespace {

using futon::EventLoop;
using futon::WaitResult;
using futon::Word;

enum class Stage : std::uint32_t { begun, done };

/// Words of several members: one that has no comparison, and one whose comparison leaves a member out.
struct alignas(8) Pair {
    std::uint32_t version = 0;
    std::uint32_t length = 0;
};
struct alignas(8) Versioned {
    std::uint32_t version = 0;
    std::uint32_t length = 0;
    bool operator==(const Versioned& other) const { return version == other.version; }
};
/// A word that equals nothing, as a NaN does.
struct Unequal {
    std::uint32_t value = 0;
    bool operator==(const Unequal&) const { return false; }
};

/// A word, and promises that wait for it.
class ChangeAndNotify : public testing::Test {
protected:
    template <class W, class T>
    void wait(W&& word, T expected, int waiters = 1) {
        for (int i = 0; i < waiters; ++i) promises_.push_back(futon::wait_async(word, expected).promise());
    }
    /// How many of them have been woken.
    int woken() {
        loop_.poll();
        int count = 0;
        for (auto& promise : promises_) count += promise.is_settled() ? 1 : 0;
        return count;
    }

    std::int32_t cell_ = 6;
    Word<std::int32_t> word_{cell_};

private:
    EventLoop loop_;
    std::vector<futon::Promise<WaitResult>> promises_;
};

TEST_F(ChangeAndNotify, StoresAndTellsHowManyWereWoken) {
    wait(word_, 6, 3);

    EXPECT_EQ(futon::store_and_notify(word_, 7, 2), 2u);

    EXPECT_EQ(cell_, 7);
    EXPECT_EQ(woken(), 2);
    EXPECT_EQ(futon::store_and_notify(word_, 8), 1u);
    EXPECT_EQ(futon::store_and_notify(word_, 9), 0u);
}

TEST_F(ChangeAndNotify, ReturnsTheOldValueOfEachChange) {
    EXPECT_EQ(futon::exchange_and_notify(word_, 12), 6);
    EXPECT_EQ(futon::fetch_add_and_notify(word_, 3), 12);
    EXPECT_EQ(futon::fetch_sub_and_notify(word_, 1), 15);
    EXPECT_EQ(futon::fetch_and_and_notify(word_, 6), 14);
    EXPECT_EQ(futon::fetch_or_and_notify(word_, 9), 6);
    EXPECT_EQ(futon::fetch_xor_and_notify(word_, 5), 15);
    EXPECT_EQ(futon::compare_exchange_and_notify(word_, 10, 4), 10);
    EXPECT_EQ(cell_, 4);
}

TEST_F(ChangeAndNotify, EachChangeWakes) {
    const auto wakes = [&](auto change) {
        const int before = woken();
        wait(word_, word_.load());
        change();
        return woken() == before + 1;
    };

    EXPECT_TRUE(wakes([&] { futon::store_and_notify(word_, 1); }));
    EXPECT_TRUE(wakes([&] { futon::exchange_and_notify(word_, 2); }));
    EXPECT_TRUE(wakes([&] { futon::compare_exchange_and_notify(word_, 2, 3); }));
    EXPECT_TRUE(wakes([&] { futon::fetch_add_and_notify(word_, 1); }));
    EXPECT_TRUE(wakes([&] { futon::fetch_sub_and_notify(word_, 1); }));
    EXPECT_TRUE(wakes([&] { futon::fetch_and_and_notify(word_, 1); }));
    EXPECT_TRUE(wakes([&] { futon::fetch_or_and_notify(word_, 6); }));
    EXPECT_TRUE(wakes([&] { futon::fetch_xor_and_notify(word_, 6); }));
}

TEST_F(ChangeAndNotify, AnExchangeThatFailsWakesNoWaiter) {
    wait(word_, 6);

    EXPECT_EQ(futon::compare_exchange_and_notify(word_, 5, 7), 6);

    EXPECT_EQ(cell_, 6);
    EXPECT_EQ(woken(), 0);
    futon::notify(word_);
}

TEST_F(ChangeAndNotify, ExchangesAStructThatHasNoComparison) {
    std::atomic<Pair> pair = Pair{2, 2};
    wait(pair, Pair{2, 2});

    EXPECT_EQ(futon::compare_exchange_and_notify(pair, Pair{2, 9}, Pair{3, 3}).length, 2u);
    EXPECT_EQ(woken(), 0);

    EXPECT_EQ(futon::compare_exchange_and_notify(pair, Pair{2, 2}, Pair{3, 3}).length, 2u);
    EXPECT_EQ(woken(), 1);
    EXPECT_EQ(pair.load().length, 3u);
}

TEST_F(ChangeAndNotify, WakesNoWaiterIfOnlyTheStructsOwnComparisonSaysEqual) {
    Versioned cell{1, 1};
    const Word word(cell);
    wait(word, Versioned{1, 1});

    EXPECT_EQ(futon::compare_exchange_and_notify(word, Versioned{1, 9}, Versioned{2, 2}).length, 1u);

    EXPECT_EQ(word.load().version, 1u);
    EXPECT_EQ(woken(), 0);
    futon::notify(word);
}

TEST_F(ChangeAndNotify, WakesEvenIfTheStructsOwnComparisonSaysUnequal) {
    Unequal cell{1};
    const Word word(cell);
    wait(word, Unequal{1});

    EXPECT_EQ(futon::compare_exchange_and_notify(word, Unequal{1}, Unequal{2}).value, 1u);

    EXPECT_EQ(word.load().value, 2u);
    EXPECT_EQ(woken(), 1);
}

TEST(AWordOfChangeAndNotify, IsNoFloatingPoint) {  // of which equal values may have unequal bytes: 0.0 and -0.0
    EXPECT_FALSE(futon::WaitWord<std::atomic<float>&>);
    EXPECT_FALSE(futon::WaitWord<std::atomic<double>&>);
}

TEST_F(ChangeAndNotify, ACountOfZeroOrLessChangesAndWakesNone) {
    wait(word_, 6);

    futon::exchange_and_notify(word_, 7, 0);
    futon::fetch_add_and_notify(word_, 1, -1);

    EXPECT_EQ(cell_, 8);
    EXPECT_EQ(woken(), 0);
    futon::notify(word_);
}

TEST_F(ChangeAndNotify, TakesAtomicsAndWhateverAWordHolds) {
    std::atomic<Stage> stage = Stage::begun;
    wait(stage, Stage::begun);

    EXPECT_EQ(futon::exchange_and_notify(stage, Stage::done), Stage::begun);

    EXPECT_EQ(woken(), 1);
    EXPECT_EQ(stage, Stage::done);
}

#if ATOMIC_BOOL_LOCK_FREE == 2  // GCC 12 gives an atomic of one byte a lock on RISC-V
TEST_F(ChangeAndNotify, TakesABool) {
    std::atomic<bool> is_ready = false;
    wait(is_ready, false);

    EXPECT_EQ(futon::store_and_notify(is_ready, true), 1u);

    EXPECT_EQ(woken(), 1);
}
#endif

TEST(ChangeAndNotifyOfThreads, LosesNoWakeUp) {
    std::atomic<int> turn = 0;
    constexpr int turns = 2'000;
    const auto play = [&](int parity) {
        for (int i = parity; i < turns; i += 2) {
            while (turn != i) futon::wait(turn, i - 1);
            futon::store_and_notify(turn, i + 1, 1);
        }
    };
    std::thread other(play, 1);
    play(0);
    other.join();

    EXPECT_EQ(turn, turns);
}

TEST(ChangeAndNotifyInATable, IsThatTablesOwn) {
    futon::core::PrivateTable table;
    int cell = 0;

    EXPECT_EQ(table.notify_changed(&cell, futon::everyone), 0u);
}

}  // namespace
