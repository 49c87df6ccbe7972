// SPDX-License-Identifier: MIT
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include <futon/futon.hpp>

#include "support/coroutines.hpp"
#include "support/gtest.hpp"
#include "support/timed_rounds.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using futon::AutoResetEvent;
using futon::Barrier;
using futon::Event;
using futon::EventLoop;
using futon::Latch;
using futon::Once;
using futon::Promise;
using futon::WaitResult;
using futon::test::OwnedCoroutine;
using futon::test::TimedRounds;
using futon::test::until;
using futon::test::waiting_at;

/// One signal, which threads pass on, some of them with deadlines and stops; a loop's coroutines do, are destroyed, or end with
/// their loop.
TEST(AutoResetEventStress, LosesNoSignalAndMakesNone) {
    AutoResetEvent event(true);
    std::uint64_t sum = 0;  // of whom the signal belongs to
    std::atomic<std::uint64_t> expected{0};
    const auto pass_on = [&](WaitResult result) {
        if (result != WaitResult::ok) return;
        ++sum;
        ++expected;
        event.set();
    };
    {
        std::vector<std::jthread> threads;
        threads.emplace_back([&](const std::stop_token& stop) {
            while (!stop.stop_requested()) pass_on(event.wait(stop));
        });
        threads.emplace_back([&](const std::stop_token& stop) {
            for (int i = 0; !stop.stop_requested(); ++i) pass_on(event.wait(std::chrono::microseconds(i % 50)));
        });
        std::mt19937 random(1);
        for (TimedRounds rounds; rounds.has_another_round();) {
            std::optional<EventLoop> loop(std::in_place);
            std::stop_source stop;
            auto wait = [&](futon::Deadline limit) -> OwnedCoroutine {
                pass_on(co_await event.wait_async({limit, stop.get_token()}));
            };
            std::vector<OwnedCoroutine> coroutines;
            for (int i = 0; i < 3; ++i)
                coroutines.push_back(wait(i == 0 ? futon::Deadline(20us) : futon::Deadline::never()));
            {
                const auto dropped = futon::core::promise_of(event.waiting());
                if (dropped.is_settled()) pass_on(WaitResult::ok);
                if (random() % 2 == 0) std::this_thread::yield();
            }
            if (random() % 2 == 0) loop->poll();
            if (random() % 2 == 0) coroutines.back().destroy(), coroutines.pop_back();
            if (random() % 2 == 0) stop.request_stop();
            if (random() % 2 == 0) loop->poll();
            if (random() % 2 == 0) coroutines.clear();
            loop.reset();
        }
        threads.front().request_stop();
    }
    EXPECT_EQ(waiting_at(event), 0u);
    EXPECT_TRUE(event.try_wait());
    EXPECT_FALSE(event.try_wait());
    EXPECT_EQ(sum, expected);
    EXPECT_GT(sum, 0u);
}

/// Each round a new event and a new latch on the stack of their waiter, which ends as soon as that has seen them.
TEST(EventStress, IsDestroyedByItsWaiterWhileItIsBeingSet) {
    std::atomic<Event*> to_set{nullptr};
    std::atomic<Latch*> to_open{nullptr};
    std::atomic<bool> is_over{false};
    const auto take = [&](auto& place, auto use) {
        while (!is_over)
            if (auto* object = place.exchange(nullptr)) {
                use(*object);
            } else {
                std::this_thread::yield();
            }
    };
    std::jthread setter([&] { take(to_set, [](Event& event) { event.set(); }); });
    std::jthread opener([&] { take(to_open, [](Latch& latch) { latch.count_down(); }); });
    EventLoop loop(futon::CanBlock::yes);
    int released = 0;
    for (TimedRounds rounds; rounds.has_another_round();) {
        Event event;
        Latch latch(2);
        to_set = &event;
        to_open = &latch;
        switch (rounds.round() % 4) {
            case 0:
                released += event.wait() == WaitResult::ok ? 1 : 0;
                break;
            case 1:
                while (event.wait(1us) != WaitResult::ok) continue;
                ++released;
                break;
            case 2:
                released += loop.run_until(futon::core::promise_of(event.waiting())) == WaitResult::ok ? 1 : 0;
                break;
            default:
                until([&] { return event.try_wait(); });
                ++released;
        }
        event.reset();
        ASSERT_EQ(latch.arrive_and_wait(), WaitResult::ok);
        ASSERT_EQ(released, rounds.round());
    }
    is_over = true;
}

/// Two threads and a loop; their waits have deadlines, which take no arrival back.
TEST(BarrierStress, KeepsAllInStepThoughWaitsTimeOut) {
    constexpr std::uint32_t participants = 3;
    std::atomic<bool> is_last_phase{false};
    bool is_over = false;
    std::uint64_t phases = 0;
    std::uint64_t steps[participants] = {};
    std::uint64_t wrong = 0;
    Barrier barrier(participants, [&]() noexcept {
        ++phases;
        for (const std::uint64_t step : steps) wrong += step != phases ? 1 : 0;
        is_over = is_last_phase;
    });
    const auto work = [&](std::size_t number) {
        while (!is_over) {
            ++steps[number];
            const auto arrival = barrier.arrive();
            while (barrier.wait(arrival, std::chrono::microseconds(steps[number] % 20)) != WaitResult::ok) continue;
        }
    };
    {
        const std::jthread a([&] { work(0); });
        const std::jthread b([&] { work(1); });
        EventLoop loop;
        auto work_async = [&]() -> Promise<void> {
            TimedRounds rounds;
            while (!is_over) {
                if (!rounds.has_another_round()) is_last_phase = true;
                ++steps[2];
                const auto arrival = barrier.arrive();
                while (co_await barrier.wait_async(arrival, std::chrono::microseconds(steps[2] % 20)) != WaitResult::ok)
                    continue;
            }
        };
        loop.run_until(work_async());
    }
    EXPECT_EQ(wrong, 0u);
    EXPECT_GE(phases, 20u);
    EXPECT_EQ(waiting_at(barrier), 0u);
}

/// Initialisers that fail, coroutines that are destroyed while they initialise or wait, deadlines: in the end each is done
/// once.
TEST(OnceStress, IsDoneOnceWhateverFails) {
    std::mt19937 random(1);
    for (TimedRounds rounds; rounds.has_another_round();) {
        Once once;
        Event go_on;
        int done = 0;
        std::atomic<int> failed{0};
        const auto call = [&](bool fails) {
            try {
                EXPECT_EQ(once.call([&] {
                    if (fails) throw std::runtime_error("broken");
                    ++done;
                }),
                          WaitResult::ok);
            } catch (const std::runtime_error&) {
                ++failed;
            }
        };
        std::optional<EventLoop> loop(std::in_place);
        auto begin = [&]() -> OwnedCoroutine {
            Once::Attempt attempt = co_await once.begin_async();
            if (attempt.is_mine()) static_cast<void>(co_await go_on.wait_async());
        };
        std::vector<OwnedCoroutine> coroutines;
        for (int i = 0; i < 3; ++i) coroutines.push_back(begin());
        {
            const std::jthread fails([&] { call(true); });
            const std::jthread succeeds([&] { call(false); });
            const std::jthread hasty([&] { static_cast<void>(once.begin(5us)); });
            if (random() % 2 == 0) loop->poll();
            if (random() % 2 == 0) coroutines.pop_back();
            if (random() % 2 == 0) go_on.set();
            if (random() % 2 == 0) loop->poll();
            if (random() % 2 == 0) {
                coroutines.clear();
            } else {
                loop.reset();
                coroutines.clear();  // after their loop: a coroutine that is not futon's is resumed, and fails
            }
        }
        ASSERT_TRUE(once.is_done());
        ASSERT_EQ(done, 1);
        ASSERT_LE(failed, 1);
        ASSERT_EQ(waiting_at(once), 0u);
    }
}

}  // namespace
