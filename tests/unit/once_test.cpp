// SPDX-License-Identifier: MIT
#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include <futon/futon.hpp>

#include "support/coroutines.hpp"
#include "support/gtest.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using futon::CanBlock;
using futon::EventLoop;
using futon::Once;
using futon::Promise;
using futon::promise_of;
using futon::WaitResult;
using futon::test::OwnedCoroutine;
using futon::test::until;
using futon::test::until_waiting;
using futon::test::waiting_at;

[[noreturn]] void fail() {
    throw std::runtime_error("broken");
}

/// Begins, and notes whether the attempt is its own; keeps it.
OwnedCoroutine begin_owned(Once& once, std::optional<Once::Attempt>& attempt) {
    attempt.emplace(co_await once.begin_async());
}

TEST(Once, CallsOneInitialiserOnce) {
    Once once;
    int calls = 0;

    EXPECT_FALSE(once.is_done());
    EXPECT_EQ(once.call([&] { ++calls; }), WaitResult::ok);
    EXPECT_EQ(once.call([&] { ++calls; }), WaitResult::ok);

    EXPECT_TRUE(once.is_done());
    EXPECT_EQ(calls, 1);
}

TEST(Once, LetsTheNextTryWhereAnInitialiserThrows) {
    Once once;
    int calls = 0;

    EXPECT_THROW(once.call(fail), std::runtime_error);
    EXPECT_FALSE(once.is_done());
    EXPECT_EQ(once.call([&] { ++calls; }), WaitResult::ok);

    EXPECT_EQ(calls, 1);
}

TEST(Once, GivesOneAttemptAtATime) {
    Once once;

    std::optional<Once::Attempt> first = once.try_begin();
    ASSERT_TRUE(first);
    EXPECT_TRUE(first->is_mine());
    EXPECT_FALSE(first->is_done());
    EXPECT_EQ(first->result(), WaitResult::ok);
    EXPECT_FALSE(once.try_begin());

    first.reset();
    std::optional<Once::Attempt> second = once.try_begin();
    ASSERT_TRUE(second);
    second->complete();
    EXPECT_TRUE(second->is_done());
    EXPECT_THROW(second->complete(), std::logic_error);

    const Once::Attempt third = once.begin();
    EXPECT_TRUE(third.is_done());
    EXPECT_FALSE(third.is_mine());
}

TEST(Once, AttemptMovesToItsNextOwner) {
    Once once;
    {
        Once::Attempt first = once.begin();
        Once::Attempt moved(std::move(first));
        EXPECT_FALSE(first.is_mine());  // NOLINT(bugprone-use-after-move): as documented
        EXPECT_TRUE(moved.is_mine());
        Once other;
        Once::Attempt assigned = other.begin();
        assigned = std::move(moved);
        EXPECT_TRUE(other.try_begin()) << "what was assigned to has failed";
        EXPECT_FALSE(once.try_begin());
    }
    EXPECT_TRUE(once.try_begin());
}

TEST(Once, ReleasesThreadsAndTasksWhenItIsDone) {
    EventLoop loop;
    Once once;
    std::optional<Once::Attempt> attempt = once.try_begin();
    auto promise = promise_of(once.beginning());
    std::optional<Once::Attempt> of_coroutine;
    const OwnedCoroutine coroutine = begin_owned(once, of_coroutine);
    auto call = once.call_async(fail);
    WaitResult blocked = WaitResult::timed_out;
    {
        const std::jthread thread([&] { blocked = once.call(fail); });
        until_waiting(once, 4);
        attempt->complete();
    }

    EXPECT_EQ(blocked, WaitResult::ok);
    EXPECT_EQ(waiting_at(once), 0u);
    EXPECT_TRUE(loop.run_until(std::move(promise)).is_done());
    EXPECT_EQ(loop.run_until(call), WaitResult::ok);
    EXPECT_TRUE(of_coroutine->is_done());
}

TEST(Once, ThreadGoesOnWhereAttemptsFailAndTheLoopThatWaitsDoesNotRun) {
    EventLoop loop;  // does not run
    Once once;
    std::optional<Once::Attempt> attempt = once.try_begin();
    std::optional<Once::Attempt> of_coroutine;
    const OwnedCoroutine coroutine = begin_owned(once, of_coroutine);
    int calls = 0;
    {
        const std::jthread thread([&] { EXPECT_EQ(once.call([&] { ++calls; }), WaitResult::ok); });
        until_waiting(once, 2);
        attempt.reset();
    }

    EXPECT_EQ(calls, 1);
    EXPECT_TRUE(once.is_done());
    EXPECT_FALSE(of_coroutine);
    loop.poll();
    EXPECT_TRUE(of_coroutine->is_done());
}

TEST(Once, IsTriedByTheNextWhereAWokenCoroutineIsDestroyed) {
    EventLoop loop;
    Once once;
    std::optional<Once::Attempt> attempt = once.try_begin();
    std::optional<Once::Attempt> of_first;
    OwnedCoroutine first = begin_owned(once, of_first);
    auto second = promise_of(once.beginning());
    attempt.reset();

    first.destroy();

    EXPECT_TRUE(loop.run_until(std::move(second)).is_mine());
    EXPECT_FALSE(of_first);
}

TEST(Once, IsTriedAgainWhereALoopEndsInTheMiddleOfAnInitialiser) {
    Once once;
    futon::Event never;
    {
        EventLoop loop;
        const auto call = once.call_async([&]() -> Promise<void> { static_cast<void>(co_await never.wait_async()); });
        EXPECT_FALSE(once.try_begin());
    }
    EXPECT_TRUE(once.try_begin());
}

TEST(Once, WaitsForAnInitialiserThatIsACoroutine) {
    EventLoop loop;
    Once once;
    futon::Event go_on;
    int calls = 0;
    auto initialise = [&]() -> Promise<void> {
        static_cast<void>(co_await go_on.wait_async());
        ++calls;
    };
    auto first = once.call_async(initialise);
    auto second = once.call_async(initialise);
    loop.poll();
    EXPECT_FALSE(once.is_done());

    go_on.set();

    EXPECT_EQ(loop.run_until(first), WaitResult::ok);
    EXPECT_EQ(loop.run_until(second), WaitResult::ok);
    EXPECT_EQ(calls, 1);
}

TEST(Once, RejectsTheFirstAndLetsTheSecondTryWhereACoroutineThrows) {
    EventLoop loop;
    Once once;
    futon::Event go_on;
    int calls = 0;
    auto first = once.call_async([&]() -> Promise<void> {
        static_cast<void>(co_await go_on.wait_async());
        fail();
    });
    auto second = once.call_async([&] { ++calls; });

    go_on.set();

    EXPECT_THROW(loop.run_until(first), std::runtime_error);
    EXPECT_EQ(loop.run_until(second), WaitResult::ok);
    EXPECT_EQ(calls, 1);
}

TEST(Once, LimitsTheWaitForAnother) {
    EventLoop loop(CanBlock::yes);
    Once once;
    std::stop_source stop;
    stop.request_stop();
    std::optional<Once::Attempt> attempt = once.try_begin();

    EXPECT_EQ(once.call(fail, 0ms), WaitResult::timed_out);
    EXPECT_EQ(once.call(fail, 1ms), WaitResult::timed_out);
    EXPECT_EQ(once.call(fail, stop.get_token()), WaitResult::cancelled);
    EXPECT_EQ(loop.run_until(once.call_async(fail, 1ms)), WaitResult::timed_out);
    EXPECT_EQ(loop.run_until(once.call_async(fail, stop.get_token())), WaitResult::cancelled);
    const Once::Attempt refused = once.begin(0ms);
    EXPECT_FALSE(refused.is_mine());
    EXPECT_FALSE(refused.is_done());
    EXPECT_EQ(refused.result(), WaitResult::timed_out);
    EXPECT_EQ(waiting_at(once), 0u);

    attempt->complete();
    EXPECT_EQ(once.call(fail, {0ms, stop.get_token()}), WaitResult::ok) << "what is done counts before limits";
}

TEST(Once, BeginsBeforeADeadlineAndAStopThatHaveCome) {
    Once once;
    std::stop_source stop;
    stop.request_stop();
    int calls = 0;

    EXPECT_EQ(once.call([&] { ++calls; }, {0ms, stop.get_token()}), WaitResult::ok);
    EXPECT_EQ(calls, 1);
}

TEST(Once, IsStoppedWhileItWaits) {
    Once once;
    std::optional<Once::Attempt> attempt = once.try_begin();
    std::stop_source stop;
    WaitResult blocked = WaitResult::ok;
    {
        const std::jthread thread([&] { blocked = once.call(fail, stop.get_token()); });
        until_waiting(once, 1);
        stop.request_stop();
    }
    EXPECT_EQ(blocked, WaitResult::cancelled);
}

TEST(Once, RefusesAnInitialiserThatBlocksForItself) {
    Once once;
    bool is_refused = false;
    const auto recurse = [&] {
        try {
            static_cast<void>(once.call([] {}, 0ms));
        } catch (const std::system_error& error) {
            is_refused = error.code() == std::errc::resource_deadlock_would_occur;
        }
    };

    EXPECT_EQ(once.call(recurse), WaitResult::ok);

    EXPECT_TRUE(is_refused);
    EXPECT_EQ(once.call(fail), WaitResult::ok);
}

TEST(Once, AllowsAnInitialiserToUseAnother) {
    Once outer;
    Once inner;
    EXPECT_EQ(outer.call([&] { EXPECT_EQ(inner.call([] {}), WaitResult::ok); }), WaitResult::ok);
    EXPECT_TRUE(inner.is_done());
}

TEST(Once, RefusesAnAgentThatMayNotBlock) {
    const EventLoop loop;
    Once once;

    EXPECT_THROW(once.call([] {}), futon::BlockingForbidden);
    EXPECT_TRUE(once.try_begin()) << "nothing was begun";
    once.try_begin()->complete();
    EXPECT_THROW(once.call([] {}), futon::BlockingForbidden);
}

TEST(Once, RefusesAThreadWithoutAnExecutor) {
    Once once;
    EXPECT_THROW(static_cast<void>(once.call_async([] {})), futon::NoExecutor);
    EXPECT_FALSE(once.is_done());
}

TEST(Once, IsSelectedAndGivesBackWhatItBegan) {
    Once once;
    Once other;
    std::optional<Once::Attempt> attempt = other.try_begin();
    {
        const auto chosen = futon::select(other.beginning(), once.beginning());
        ASSERT_EQ(chosen.index(), 1u);
        EXPECT_TRUE(std::get<1>(chosen).is_mine());
        EXPECT_FALSE(once.try_begin());
    }
    EXPECT_TRUE(once.try_begin());
    EXPECT_EQ(waiting_at(other), 0u);
}

TEST(Once, LiesInASharedArrayBuffer) {
    futon::SharedArrayBuffer buffer(4);
    int calls = 0;
    {
        const auto call = [&calls, buffer]() mutable { Once::at(buffer).call([&] { ++calls; }); };
        const std::jthread a(call);
        const std::jthread b(call);
    }
    EXPECT_TRUE(Once::at(buffer).is_done());
    EXPECT_EQ(calls, 1);
}

TEST(Once, MayBeDestroyedByAWaiterWhileItsCompletionReturns) {
    for (int i = 0; i < 200; ++i) {
        std::optional<Once> once(std::in_place);
        std::optional<Once::Attempt> attempt = once->try_begin();
        const std::jthread initialiser([&] { attempt->complete(); });
        if (i % 2 == 0) {
            EXPECT_EQ(once->call(fail), WaitResult::ok);
        } else {
            until([&] { return once->is_done(); });
        }
        once.emplace();
        EXPECT_FALSE(once->is_done());
    }
}

TEST(Once, MayBeDestroyedByOneOfThoseThatItsCompletionServes) {
    EventLoop loop;
    auto once = std::make_unique<Once>();
    std::optional<Once::Attempt> attempt = once->try_begin();
    std::vector<bool> done;
    const auto wait = [&]() -> Promise<void> {
        const Once::Attempt served = co_await once->begin_async();
        done.push_back(served.is_done() && !served.is_mine());
        if (done.size() == 1) {
            std::destroy_at(once.get());
            std::construct_at(once.get());  // what a waiter would find that asked again
        }
    };
    const Promise<void> first = wait();
    const Promise<void> second = wait();

    attempt->complete();
    loop.run();

    EXPECT_EQ(done, std::vector<bool>(2, true));
    EXPECT_TRUE(once->try_begin().has_value());
}

TEST(Once, NamesTheFunctionThatWasCalledInItsErrors) {
    Once once;
    const auto message = [](auto f) -> std::string {
        try {
            f();
        } catch (const std::exception& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_EQ(message([&] { once.call([&] { once.call([] {}); }); }).find("futon::Once::call: "), 0U);
    EXPECT_EQ(message([&] { once.call([&] { (void)once.begin(); }); }).find("futon::Once::begin: "), 0U);
    futon::Lazy<int> lazy;
    EXPECT_EQ(message([&] { lazy.get([&] { return lazy.get([] { return 1; }); }); }).find("futon::Lazy::get: "), 0U);
    const EventLoop loop;
    EXPECT_EQ(message([&] { once.call([] {}); }).find("futon::Once::call: "), 0U);
    EXPECT_EQ(message([&] { lazy.get([] { return 1; }); }).find("futon::Lazy::get: "), 0U);
}

}  // namespace
