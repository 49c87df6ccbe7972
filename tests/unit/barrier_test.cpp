// SPDX-License-Identifier: MIT
#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <thread>

#include <futon/futon.hpp>

#include "support/coroutines.hpp"
#include "support/gtest.hpp"
#include "support/waiting.hpp"
#include "support/waiting_coroutines.hpp"

namespace {

using namespace std::chrono_literals;
using futon::Barrier;
using futon::CanBlock;
using futon::EventLoop;
using futon::Promise;
using futon::promise_of;
using futon::WaitResult;
using futon::test::OwnedCoroutine;
using futon::test::until_waiting;
using futon::test::wait_owned;
using futon::test::waiting_at;

TEST(Barrier, EndsAPhaseAtItsLastArrivalAndBeginsTheNext) {
    Barrier barrier(2);

    const auto first = barrier.arrive();
    EXPECT_FALSE(barrier.try_wait(first));
    EXPECT_EQ(barrier.wait(first, 1ms), WaitResult::timed_out);
    const auto last = barrier.arrive();
    EXPECT_TRUE(barrier.try_wait(first));
    EXPECT_TRUE(barrier.try_wait(last));
    EXPECT_EQ(barrier.wait(first), WaitResult::ok);

    const auto next = barrier.arrive();
    EXPECT_FALSE(barrier.try_wait(next));
    EXPECT_TRUE(barrier.try_wait(first));
    static_cast<void>(barrier.arrive());
    EXPECT_TRUE(barrier.try_wait(next));
}

TEST(Barrier, CallsItsCompletionFunctionOnceAPhaseBeforeAnyIsReleased) {
    EventLoop loop(CanBlock::yes);
    int completed = 0;
    std::size_t waiting = 0;
    const void* key = nullptr;
    Barrier barrier(2, [&]() noexcept {
        ++completed;
        waiting = futon::core::process_table().count(key);
    });
    key = &barrier;
    auto promise = promise_of(barrier.waiting(barrier.arrive()));
    EXPECT_EQ(completed, 0);

    EXPECT_EQ(barrier.arrive_and_wait(), WaitResult::ok);

    EXPECT_EQ(completed, 1);
    EXPECT_EQ(waiting, 1u);
    EXPECT_EQ(loop.run_until(promise), WaitResult::ok);
    static_cast<void>(barrier.arrive(2));
    EXPECT_EQ(completed, 2);
}

TEST(Barrier, ReleasesThreadsAndTasksOfItsPhase) {
    EventLoop loop;
    Barrier barrier(4);
    auto promise = promise_of(barrier.waiting(barrier.arrive()));
    std::optional<WaitResult> result;
    const OwnedCoroutine coroutine = wait_owned(barrier, result, barrier.arrive());
    WaitResult blocked = WaitResult::timed_out;
    {
        const std::jthread thread([&] { blocked = barrier.arrive_and_wait(); });
        until_waiting(barrier, 3);
        static_cast<void>(barrier.arrive());
    }
    EXPECT_EQ(blocked, WaitResult::ok);
    EXPECT_EQ(loop.run_until(promise), WaitResult::ok);
    loop.poll();
    EXPECT_EQ(result, WaitResult::ok);
    EXPECT_EQ(waiting_at(barrier), 0u);
}

TEST(Barrier, KeepsThreadsInStepThroughManyPhases) {
    constexpr int phases = 200;
    constexpr std::uint32_t participants = 3;
    std::array<int, participants> steps{};
    int wrong = 0;
    int phase = 0;
    Barrier barrier(participants, [&]() noexcept {
        ++phase;
        for (const int step : steps) wrong += step != phase ? 1 : 0;
    });
    auto work = [&](std::size_t number) {
        for (int i = 0; i < phases; ++i) {
            ++steps[number];
            EXPECT_EQ(barrier.arrive_and_wait(), WaitResult::ok);
        }
    };
    {
        const std::jthread a([&] { work(0); });
        const std::jthread b([&] { work(1); });
        EventLoop loop;
        auto work_async = [&]() -> Promise<void> {
            for (int i = 0; i < phases; ++i) {
                ++steps[2];
                EXPECT_EQ(co_await barrier.arrive_and_wait_async(), WaitResult::ok);
            }
        };
        loop.run_until(work_async());
    }
    EXPECT_EQ(phase, phases);
    EXPECT_EQ(wrong, 0);
}

TEST(Barrier, ExpectsNoMoreWhoHasDropped) {
    Barrier barrier(3);
    const auto first = barrier.arrive();
    barrier.arrive_and_drop();
    EXPECT_FALSE(barrier.try_wait(first)) << "a drop is one arrival";
    static_cast<void>(barrier.arrive());
    EXPECT_TRUE(barrier.try_wait(first));

    const auto next = barrier.arrive();
    EXPECT_FALSE(barrier.try_wait(next));
    barrier.arrive_and_drop();
    EXPECT_TRUE(barrier.try_wait(next)) << "it ends a phase as an arrival does";

    EXPECT_TRUE(barrier.try_wait(barrier.arrive())) << "one is left";
    barrier.arrive_and_drop();
    EXPECT_THROW(static_cast<void>(barrier.arrive()), std::logic_error) << "none is left";
    EXPECT_THROW(barrier.arrive_and_drop(), std::logic_error);
}

TEST(Barrier, RefusesWhatItDoesNotExpect) {
    EXPECT_THROW(Barrier(0), std::invalid_argument);
    EXPECT_THROW(Barrier(Barrier<>::max() + 1), std::invalid_argument);
    Barrier large(Barrier<>::max());
    EXPECT_TRUE(large.try_wait(large.arrive(Barrier<>::max())));

    Barrier barrier(2);
    EXPECT_THROW(static_cast<void>(barrier.arrive(3)), std::logic_error);
    EXPECT_THROW(static_cast<void>(barrier.arrive(0)), std::logic_error);
    const auto first = barrier.arrive();
    EXPECT_THROW(static_cast<void>(barrier.arrive(2)), std::logic_error);
    EXPECT_FALSE(barrier.try_wait(first));
    static_cast<void>(barrier.arrive());
    EXPECT_TRUE(barrier.try_wait(first));
}

TEST(Barrier, RefusesArrivalsWhileItsPhaseIsBeingEnded) {
    struct Call {
        std::function<void()>* function;
        void operator()() const noexcept { (*function)(); }
    };
    std::function<void()> function;
    Barrier barrier(2, Call{&function});
    int refused = 0;
    function = [&] {
        EXPECT_THROW(static_cast<void>(barrier.arrive()), std::logic_error);
        EXPECT_THROW(barrier.arrive_and_drop(), std::logic_error);
        ++refused;
    };

    static_cast<void>(barrier.arrive(2));

    EXPECT_EQ(refused, 1);
    EXPECT_FALSE(barrier.try_wait(barrier.arrive())) << "two are expected, as before";
}

TEST(Barrier, PhaseThatIsOverCountsBeforeADeadlineAndAStopThatHaveCome) {
    EventLoop loop(CanBlock::yes);
    Barrier barrier(1);
    std::stop_source stop;
    stop.request_stop();
    const auto over = barrier.arrive();

    EXPECT_EQ(barrier.wait(over, {0ms, stop.get_token()}), WaitResult::ok);
    EXPECT_EQ(barrier.arrive_and_wait({0ms, stop.get_token()}), WaitResult::ok);
    EXPECT_EQ(barrier.arrive_and_wait(stop.get_token()), WaitResult::ok);
    auto arrive = [&]() -> Promise<WaitResult> { co_return co_await barrier.arrive_and_wait_async(stop.get_token()); };
    EXPECT_EQ(loop.run_until(arrive()), WaitResult::ok);
}

TEST(Barrier, EndsAWaitAtAStopAndAtADeadlineAndKeepsTheArrival) {
    EventLoop loop;
    Barrier barrier(4);
    std::stop_source stop;
    auto stopped = promise_of(barrier.waiting(barrier.arrive()), stop.get_token());
    auto wait = [&]() -> Promise<WaitResult> { co_return co_await barrier.arrive_and_wait_async(1ms); };
    auto timed = wait();
    const std::size_t queued = waiting_at(barrier);  // 1 if the deadline has come before the wait was queued
    WaitResult blocked = WaitResult::ok;
    {
        const std::jthread thread([&] { blocked = barrier.arrive_and_wait(stop.get_token()); });
        until_waiting(barrier, queued + 1);
        stop.request_stop();
    }

    EXPECT_EQ(blocked, WaitResult::cancelled);
    EXPECT_EQ(loop.run_until(stopped), WaitResult::cancelled);
    EXPECT_EQ(loop.run_until(timed), WaitResult::timed_out);
    EXPECT_TRUE(barrier.try_wait(barrier.arrive())) << "the others have arrived";
}

TEST(Barrier, RefusesAnAgentThatMayNotWaitBeforeItArrives) {
    Barrier barrier(1);
    EXPECT_THROW(static_cast<void>(barrier.arrive_and_wait_async()), futon::NoExecutor);
    const EventLoop loop;
    EXPECT_THROW(static_cast<void>(barrier.arrive_and_wait()), futon::BlockingForbidden);

    EXPECT_TRUE(barrier.try_wait(barrier.arrive())) << "its first arrival";
}

}  // namespace
