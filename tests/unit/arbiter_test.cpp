// SPDX-License-Identifier: MIT
#include <futon/core/operation/arbiter.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include <futon/core.hpp>
#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/sanitizers.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
namespace core = futon::core;
using futon::Fairness;
using futon::WaitResult;

template <class W>
struct Units {
    using Word = W;
    static bool can_serve(core::ResourceState units, std::uint64_t count) noexcept { return units >= count; }
    static core::ResourceState taken(core::ResourceState units, std::uint64_t count) noexcept {
        return units - static_cast<core::ResourceState>(count);
    }
    static core::ResourceState returned(core::ResourceState units, std::uint64_t count) noexcept {
        return units + static_cast<core::ResourceState>(count);
    }
    static bool may_serve(core::ResourceState units) noexcept { return units != 0; }
};

template <class W>
using Arbiter = core::Arbiter<Units<W>>;

/// Yields whether it has taken.
template <class W>
struct Taking : Arbiter<W>::Request {
    using Result = bool;
    static constexpr const char* name = "test::take";
    explicit Taking(Arbiter<W>& arbiter, std::uint64_t count = 1) noexcept : Arbiter<W>::Request(arbiter, count) {}
    bool result(core::Ending ending) noexcept {
        this->end();
        return core::to_wait_result(ending) == WaitResult::ok;
    }
};

template <class W>
class ArbiterOf : public testing::Test {};
using Words = testing::Types<std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(ArbiterOf, Words);

constexpr Fairness both[] = {Fairness::bounded, Fairness::strict};

template <class W>
void until_queued(Arbiter<W>& arbiter, std::size_t count) {
    futon::test::until([&] { return core::process_table().count(arbiter.key()) == count; });
}

TYPED_TEST(ArbiterOf, IsAWordThatBeginsWithItsState) {
    static_assert(sizeof(Arbiter<TypeParam>) == sizeof(TypeParam));
    Arbiter<TypeParam> arbiter(2);
    EXPECT_EQ(arbiter.state(), 2U);
    EXPECT_TRUE(arbiter.try_take(2));
    EXPECT_FALSE(arbiter.try_take(1));
    arbiter.give_back(1);
    EXPECT_EQ(arbiter.state(), 1U);
    EXPECT_TRUE(arbiter.try_take(1));
}

TYPED_TEST(ArbiterOf, ServesEachWayOfWaiting) {
    for (const Fairness fairness : both) {
        Arbiter<TypeParam> arbiter(0, fairness);
        futon::EventLoop loop(futon::CanBlock::yes);
        auto promise = core::promise_of(Taking<TypeParam>(arbiter));
        bool has_run = false;
        const auto coroutine = [&]() -> futon::Promise<void> {
            has_run = co_await core::await(Taking<TypeParam>(arbiter));
        };
        auto done = coroutine();
        std::jthread thread([&] { EXPECT_TRUE(core::block(Taking<TypeParam>(arbiter))); });
        until_queued(arbiter, 3);
        for (int i = 0; i < 3; ++i) arbiter.give_back(1);
        EXPECT_TRUE(loop.run_until(promise));
        loop.run_until(done);
        EXPECT_TRUE(has_run);
        thread.join();
        EXPECT_EQ(arbiter.state(), 0U);
    }
}

TYPED_TEST(ArbiterOf, ADeadlineAndAStopEndAWait) {
    Arbiter<TypeParam> arbiter(1);
    EXPECT_FALSE(core::block(Taking<TypeParam>(arbiter, 2), 1ms));
    std::stop_source stop;
    std::jthread thread([&] { EXPECT_FALSE(core::block(Taking<TypeParam>(arbiter, 2), stop.get_token())); });
    until_queued(arbiter, 1);
    stop.request_stop();
    thread.join();
    EXPECT_TRUE(arbiter.try_take(1));
}

TYPED_TEST(ArbiterOf, ASelectTakesOne) {
    Arbiter<TypeParam> left(0);
    Arbiter<TypeParam> right(1);
    const auto chosen = futon::select(Taking<TypeParam>(left), Taking<TypeParam>(right));
    EXPECT_EQ(chosen.index(), 1U);
    EXPECT_EQ(right.state(), 0U);
    left.give_back(1);
    EXPECT_TRUE(left.try_take(1));
}

TYPED_TEST(ArbiterOf, AStrictOrderIsThatOfTheQueue) {
    Arbiter<TypeParam> arbiter(0, Fairness::strict);
    std::vector<int> order;
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&, i] {
            EXPECT_TRUE(core::block(Taking<TypeParam>(arbiter)));
            order.push_back(i);
            arbiter.give_back(1);
        });
        until_queued(arbiter, static_cast<std::size_t>(i) + 1);
    }
    arbiter.give_back(1);
    threads.clear();
    EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3}));
    EXPECT_TRUE(arbiter.try_take(1));
}

TYPED_TEST(ArbiterOf, NoOnePassesTheFirstOnceItHasWaitedForTheThreshold) {
    Arbiter<TypeParam> arbiter(1);
    std::jthread big([&] { EXPECT_TRUE(core::block(Taking<TypeParam>(arbiter, 2))); });
    until_queued(arbiter, 1);
    futon::test::until_handoff_is_due();
    EXPECT_FALSE(arbiter.try_take(1));
    arbiter.give_back(1);
    big.join();
    EXPECT_EQ(arbiter.state(), 0U);
}

/// A loop that does not run as long as this lives, with tasks that are queued.
template <class W>
class StalledLoop {
public:
    StalledLoop(Arbiter<W>& arbiter, int tasks) {
        std::atomic<bool> is_queued{false};
        thread_ = std::jthread([&, tasks](std::stop_token stop) {
            futon::EventLoop loop;
            std::vector<futon::Promise<bool>> promises;
            for (int i = 0; i < tasks; ++i) promises.push_back(core::promise_of(Taking<W>(arbiter)));
            is_queued = true;
            futon::test::until([&] { return stop.stop_requested(); });
            promises.clear();
        });
        futon::test::until([&] { return is_queued.load(); });
    }

private:
    std::jthread thread_;
};

TYPED_TEST(ArbiterOf, AThreadBehindTasksOfAStalledLoopIsServed) {
    for (const Fairness fairness : both)
        for (const int tasks : {1, 100}) {
            Arbiter<TypeParam> arbiter(0, fairness);
            const StalledLoop<TypeParam> stalled(arbiter, tasks);
            std::jthread thread([&] {
                for (int i = 0; i < 10; ++i) {
                    EXPECT_TRUE(core::block(Taking<TypeParam>(arbiter)));
                    arbiter.give_back(1);
                }
            });
            futon::test::until(
                [&] { return core::process_table().count(arbiter.key()) > static_cast<std::size_t>(tasks); });
            arbiter.give_back(1);
            thread.join();
        }
}

TYPED_TEST(ArbiterOf, ALoopBehindTasksOfStalledLoopsIsServed) {
    for (const Fairness fairness : both) {
        Arbiter<TypeParam> arbiter(0, fairness);
        const StalledLoop<TypeParam> one(arbiter, 70);
        const StalledLoop<TypeParam> other(arbiter, 70);
        futon::EventLoop loop(futon::CanBlock::yes);
        auto promise = core::promise_of(Taking<TypeParam>(arbiter));
        arbiter.give_back(1);
        EXPECT_TRUE(loop.run_until(promise));
        arbiter.give_back(1);
        EXPECT_TRUE(core::block(Taking<TypeParam>(arbiter)));
    }
}

TYPED_TEST(ArbiterOf, ATaskThatIsGoneGivesBackWhatItWasOffered) {
    for (const Fairness fairness : both) {
        Arbiter<TypeParam> arbiter(0, fairness);
        futon::EventLoop loop(futon::CanBlock::yes);
        std::optional promise = core::promise_of(Taking<TypeParam>(arbiter));
        std::jthread thread([&] { EXPECT_TRUE(core::block(Taking<TypeParam>(arbiter))); });
        until_queued(arbiter, 2);
        futon::test::until_handoff_is_due();
        arbiter.give_back(1);
        promise.reset();
        thread.join();
        EXPECT_EQ(arbiter.state(), 0U);
    }
}

TYPED_TEST(ArbiterOf, ManyThatGiveUpAreLinear) {
    constexpr int count = 20'000;
    for (const Fairness fairness : both) {
        Arbiter<TypeParam> arbiter(0, fairness);
        futon::EventLoop loop(futon::CanBlock::yes);
        std::vector<futon::Promise<bool>> promises;
        promises.reserve(count);
        for (int i = 0; i < count; ++i) promises.push_back(core::promise_of(Taking<TypeParam>(arbiter)));
        futon::test::until_handoff_is_due();
        arbiter.give_back(1);  // to a task whose loop does not run
        while (promises.size() > 1) promises.pop_back();
        EXPECT_LE(core::process_table().count(arbiter.key()), 1U);
        EXPECT_TRUE(loop.run_until(promises.front()));
    }
}

TYPED_TEST(ArbiterOf, ThreadsAndLoopsLoseNothing) {
    const int rounds = futon::test::is_sanitized ? 300 : 2'000;
    for (const Fairness fairness : both) {
        Arbiter<TypeParam> arbiter(2, fairness);
        std::atomic<int> inside{0};
        const auto visit = [&](auto count) {
            const int now = inside.fetch_add(count) + count;
            EXPECT_LE(now, 2);
            inside.fetch_sub(count);
        };
        const auto on_a_loop = [&] {
            futon::EventLoop loop;
            const auto task = [&](int i) -> futon::Promise<void> {
                for (; i < rounds; i += 2) {
                    const int count = 1 + i % 2;
                    if (!co_await core::await(Taking<TypeParam>(arbiter, static_cast<std::uint64_t>(count)),
                                              i % 3 == 0 ? futon::Deadline(10us) : futon::Deadline::never()))
                        continue;
                    visit(count);
                    arbiter.give_back(static_cast<std::uint64_t>(count));
                }
            };
            auto even = task(0);
            auto odd = task(1);
            loop.run_until(even);
            loop.run_until(odd);
        };
        std::vector<std::jthread> threads;
        for (int i = 0; i < 2; ++i) threads.emplace_back(on_a_loop);
        for (int i = 0; i < 2; ++i)
            threads.emplace_back([&] {
                for (int k = 0; k < rounds; ++k) {
                    const int count = 1 + k % 2;
                    if (!core::block(Taking<TypeParam>(arbiter, static_cast<std::uint64_t>(count)),
                                     k % 5 == 0 ? futon::Deadline(20us) : futon::Deadline::never()))
                        continue;
                    visit(count);
                    arbiter.give_back(static_cast<std::uint64_t>(count));
                }
            });
        threads.clear();
        EXPECT_EQ(arbiter.state(), 2U);
        EXPECT_TRUE(arbiter.try_take(2));
    }
}

TEST(ArbiterDeathTest, AStateThatDoesNotFitIntoTheWordAborts) {
    EXPECT_DEATH(Arbiter<std::uint32_t>{4}, "broken rule: futon::core::Arbiter: a state does not fit");
    Arbiter<std::uint32_t> full(3);
    EXPECT_DEATH(full.give_back(1), "broken rule: futon::core::Arbiter: a state does not fit");
    EXPECT_DEATH(full.give_back_up_to(3, 1), "broken rule: futon::core::Arbiter: a state does not fit");
    EXPECT_FALSE(full.give_back_up_to(2, 1)) << "there is no room";
    Arbiter<std::uint64_t> large(0xffff'fffe);
    large.give_back(1);
    EXPECT_EQ(large.state(), 0xffff'ffff);
}

}  // namespace
