// SPDX-License-Identifier: MIT
// Spinning before a thread sleeps. On Emscripten none does, and no program can be bound to a processor.
#ifndef FUTON_PLATFORM_IS_emscripten

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <thread>

#ifdef _WIN32
#include <bit>

#include "platform/windows/windows.hpp"
#else
#include <errno.h>
#include <sched.h>
#include <unistd.h>
#endif

#include <futon/sync/channel.hpp>

#include "platform/spin.hpp"
#include "support/gtest.hpp"
#include "support/platform.hpp"
#include "support/spinning.hpp"

namespace {

using futon::platform::polled;
using futon::platform::Polled;
using futon::platform::spin_until;
using futon::platform::spin_until_replaced;
using futon::platform::spin_yielding_seldom_until;
using futon::platform::spin_yielding_until;
using futon::test::spins_before_sleeping;

#ifdef _WIN32

bool can_spin() {
    DWORD_PTR allowed = 0;
    DWORD_PTR all = 0;
    GetProcessAffinityMask(GetCurrentProcess(), &allowed, &all);
    return spins_before_sleeping && std::popcount(allowed) > 1;
}

#else

using futon::test::allowed_processors;
using futon::test::bind_to_one_processor;
using futon::test::lose_processor_while_spinning;
using futon::test::yields_while_it_spins;

bool can_spin() {
    const cpu_set_t allowed = allowed_processors();
    return spins_before_sleeping && CPU_COUNT(&allowed) > 1;
}

[[noreturn]] void run_again_on_one_processor(const char* filter) {
    // All of the tests, also where this program runs a part of them.
    unsetenv("GTEST_TOTAL_SHARDS");
    unsetenv("GTEST_SHARD_INDEX");
    const char* const program = program_invocation_name;  // under an emulator /proc/self/exe would be the emulator
    if (bind_to_one_processor()) execl(program, program, filter, nullptr);
    std::_Exit(EXIT_FAILURE);
}

#endif

void wait_until_it_spins_again() {
    if (can_spin()) futon::test::wait_until_it_spins();
}

TEST(Spin, ReturnsTrueAtTheFirstPollThatSucceeds) {
    int polls = 0;

    const bool succeeded = spin_until([&] { return ++polls == 1; });

    EXPECT_EQ(succeeded, can_spin());
    EXPECT_EQ(polls, can_spin() ? 1 : 0);
}

TEST(Spin, ReturnsFalseWhenNoPollSucceeds) {
    int polls = 0;

    EXPECT_FALSE(spin_until([&] {
        ++polls;
        return false;
    }));

    EXPECT_EQ(polls > 0, can_spin());
}

TEST(Spin, AReplacedThreadGoesOnPollingAtFirst) {
    int polls = 0;
    int asked = 0;
    const auto is_replaced = [&] { return ++asked != 0; };

    const bool succeeded = spin_until_replaced(
        &polls, [&] { return polled(++polls == 1, false); }, is_replaced);

    EXPECT_EQ(succeeded, can_spin());
    EXPECT_EQ(polls, can_spin() ? 1 : 0);
    EXPECT_EQ(asked, 0);
    const int other = 0;
    EXPECT_FALSE(spin_until_replaced(
        &other, [] { return Polled::in_vain; }, is_replaced));
    EXPECT_EQ(asked, 0) << "it has not got this one before";
}

TEST(Spin, EndsWhereAPollWasTheLast) {
    int polls = 0;
    const auto never = [] { return false; };

    EXPECT_FALSE(spin_until_replaced(
        &polls, [&] { return polled(false, ++polls == 1); }, never));

    EXPECT_EQ(polls, can_spin() ? 1 : 0);
}

TEST(Spin, AReplacedThreadThatIsBackSoonPollsOnce) {
    int polls = 0;
    int asked = 0;
    const auto spin = [&](Polled poll, bool is_replaced) {
        return spin_until_replaced(
            &polls, [&] { return ++polls, poll; }, [&] { return ++asked != 0 && is_replaced; });
    };

    if (!can_spin()) {
        EXPECT_FALSE(spin(Polled::with_success, true));
        EXPECT_EQ(polls, 0);
        return;
    }

    // It may lose its processor between the two, and is not back soon then.
    for (int attempts = 0; attempts < 100'000 && asked == 0; ++attempts) {
        spin(Polled::with_success, true);
        polls = 0;
        EXPECT_FALSE(spin(Polled::in_vain, true));
    }
    if (asked == 0) GTEST_SKIP() << "no thread is back soon here";

    EXPECT_EQ(asked, 1);
    EXPECT_EQ(polls, 1);
    spin(Polled::with_success, false);
    EXPECT_FALSE(spin(Polled::in_vain, false));
    EXPECT_TRUE(spin(Polled::with_success, true)) << "a poll that succeeds is asked first";
}

TEST(Spin, YieldingReturnsTrueAtTheFirstPollThatSucceeds) {
    int polls = 0;
    wait_until_it_spins_again();

    const bool succeeded = spin_yielding_until([&] { return ++polls == 1; });

    EXPECT_EQ(succeeded, can_spin());
    EXPECT_EQ(polls, can_spin() ? 1 : 0);
}

TEST(Spin, YieldingPollsNoMoreOnceAPollSucceeded) {
    int polls = 0;

    const bool succeeded = spin_yielding_until([&] { return ++polls == 3; });

    EXPECT_EQ(succeeded, polls == 3);  // or its time was over before
    EXPECT_LE(polls, 3);
}

TEST(Spin, YieldingReturnsFalseWhenNoPollSucceeds) {
    int polls = 0;
    wait_until_it_spins_again();

    EXPECT_FALSE(spin_yielding_until([&] {
        ++polls;
        return false;
    }));

    EXPECT_EQ(polls > 0, can_spin());
}

#ifndef _WIN32
constexpr int enough_turns = 100;

/// Two threads of one processor wait for each other by this way to spin. Returns how many of the first hundred turns that one of
/// them met by a poll took it one or two polls, or nothing if that took ten seconds.
template <class Spin>
std::optional<int> prompt_turns(Spin spin) {
    std::atomic<int> turn{0};
    std::atomic<int> met{0};
    std::atomic<bool> is_over{false};
    int prompt = 0;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    const auto wait_for = [&](int own) {
        int polls = 0;
        if (spin([&] { return ++polls, turn.load() == own; })) return polls;
        turn.wait(own - 1);
        return 0;
    };
    const auto give_to = [&](int other) {
        turn = other;
        turn.notify_one();
    };
    const auto first = [&] {
        bind_to_one_processor();
        for (int now = 0; !is_over; now += 2) {
            const int polls = wait_for(now);
            if (polls != 0) ++met;
            if (polls == 1 || polls == 2) ++prompt;
            is_over = met == enough_turns || std::chrono::steady_clock::now() > end;
            give_to(now + 1);
        }
    };
    const auto second = [&] {
        bind_to_one_processor();
        for (int now = 1;; now += 2) {
            wait_for(now);
            if (is_over) break;
            give_to(now + 1);
        }
    };

    std::jthread other(second);
    std::jthread(first).join();
    other.join();
    return met < enough_turns ? std::nullopt : std::optional(prompt);
}

TEST(Spin, ThreadsOfOneProcessorThatWaitForEachOtherYieldAfterEachPoll) {
    if (!can_spin()) {
        EXPECT_FALSE(spin_yielding_until([] { return true; }));
        return;
    }
    if (!yields_while_it_spins()) GTEST_SKIP() << "no thread yields while it spins here";

    const auto prompt = prompt_turns([](auto poll) { return spin_yielding_until(poll); });

    if (!prompt) GTEST_SKIP() << "others want the processor too often";
    // Otherwise each takes as many polls as there are from one yield to the next, unless its thread was interrupted.
    EXPECT_GE(*prompt, enough_turns / 4);
}

TEST(Spin, OrAfterSomePollsWhereManyMayWaitForWhatOneGets) {
    if (!can_spin()) {
        EXPECT_FALSE(spin_yielding_seldom_until([] { return true; }));
        return;
    }
    if (!yields_while_it_spins()) GTEST_SKIP() << "no thread yields while it spins here";

    const auto prompt = prompt_turns([](auto poll) { return spin_yielding_seldom_until(poll); });

    if (!prompt) GTEST_SKIP() << "others want the processor too often";
    EXPECT_LE(*prompt, enough_turns / 4) << "unless its thread was interrupted";
}

TEST(Spin, AThreadWhoseProcessorAnotherKeepsSleepsAtOnceForAWhile) {
    if (!can_spin()) {
        EXPECT_FALSE(spin_yielding_until([] { return true; }));
        return;
    }
    if (!yields_while_it_spins()) GTEST_SKIP() << "no thread yields while it spins here";
    if (!lose_processor_while_spinning()) GTEST_SKIP() << "a yield seldom takes a slice on this system";
    std::this_thread::sleep_for(
        std::chrono::seconds(1));  // the longest time for which it does not spin, however often it waits

    int refused = 0;
    while (!spin_yielding_until([] { return true; }) && refused < 1'000'000) ++refused;

    EXPECT_GE(refused, 60) << "but for those of the loop that has lost it";
    EXPECT_LT(refused, 1'000'000);
}
#endif

TEST(Spin, AReceiveFromAChannelSucceedsWhereThereIsAnItem) {
    futon::Channel<int> channel(1);
    auto receiving = channel.receiving();
    EXPECT_FALSE(receiving.try_spinning());
    ASSERT_TRUE(channel.try_send(1));
    wait_until_it_spins_again();

    EXPECT_EQ(receiving.try_spinning(), can_spin());

    EXPECT_EQ(channel.size(), can_spin() ? 0u : 1u);
}

TEST(Spin, ASendToAChannelSucceedsWhereThereIsRoom) {
    futon::Channel<int> channel(1);
    int item = 2;
    auto sending = channel.sending_from(item);
    ASSERT_TRUE(channel.try_send(1));
    EXPECT_FALSE(sending.try_spinning());
    ASSERT_TRUE(channel.try_receive());
    wait_until_it_spins_again();

    EXPECT_EQ(sending.try_spinning(), can_spin());

    EXPECT_EQ(channel.size(), can_spin() ? 1u : 0u);
}

TEST(Spin, AChannelThatIsClosedEndsIt) {
    futon::Channel<int> channel(1);
    auto receiving = channel.receiving();
    channel.close();
    wait_until_it_spins_again();

    EXPECT_EQ(receiving.try_spinning(), can_spin());

    EXPECT_EQ(receiving.woken(futon::core::WakeToken::none), can_spin());
}

#ifndef _WIN32
TEST(SpinDeathTest, NeverPollsOnASingleProcessor) {
    EXPECT_EXIT(run_again_on_one_processor("--gtest_filter=Spin.*"), testing::ExitedWithCode(0), "");
}
#endif

}  // namespace

#endif
