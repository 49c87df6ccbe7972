// SPDX-License-Identifier: MIT
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/queue_executor.hpp"
#include "support/scope_of_a_loop.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using futon::Agent;
using futon::EventLoop;
using futon::notify;
using futon::Promise;
using futon::Scope;
using futon::wait_async;
using futon::WaitResult;
using futon::with_scope;
using futon::test::ScopeOfALoop;
using futon::test::until;
using futon::test::waiting_at;

TEST_F(ScopeOfALoop, JoinGoesOnOnceAllChildrenHaveEnded) {
    Scope scope;
    scope.spawn([&] { return child("a"); });
    scope.spawn([&] { return child("b"); });
    const auto joined = join(scope);
    EXPECT_EQ(scope.running(), 2u);

    notify(word, 1);
    loop->poll();
    EXPECT_FALSE(joined.is_settled());
    notify(word);
    loop->run_until(joined);

    EXPECT_EQ(story, "a b joined ");
    EXPECT_EQ(scope.running(), 0u);
}

TEST_F(ScopeOfALoop, JoinGoesOnAtOnceWithoutChildren) {
    Scope scope;
    EXPECT_TRUE(join(scope).is_settled());
}

TEST_F(ScopeOfALoop, JoinGoesOnAtOnceAfterChildrenThatHaveEnded) {
    Scope scope;
    scope.spawn([&] { return child("a"); });
    notify(word);
    loop->run();

    EXPECT_TRUE(join(scope).is_settled());
}

TEST_F(ScopeOfALoop, AdoptsAPromise) {
    Scope scope;
    scope.spawn(child("a"));
    scope.spawn(wait_async(word, 0).promise());
    const auto joined = join(scope);
    loop->poll();
    EXPECT_FALSE(joined.is_settled());

    notify(word);
    loop->run_until(joined);

    EXPECT_EQ(story, "a joined ");
}

TEST_F(ScopeOfALoop, KeepsWhatAChildHasCapturedUntilItHasEnded) {
    Scope scope;
    auto kept = std::make_shared<int>(7);
    int seen = 0;
    scope.spawn([&, kept]() -> Promise<void> {
        co_await wait_async(word, 0).promise();
        seen = *kept;
    });
    const auto joined = join(scope);
    EXPECT_EQ(kept.use_count(), 2);

    notify(word);
    loop->run_until(joined);

    EXPECT_EQ(seen, 7);
    EXPECT_EQ(kept.use_count(), 1);
}

TEST_F(ScopeOfALoop, KeepsAFunctionThatIsOnlyMoved) {
    Scope scope;
    int seen = 0;
    scope.spawn([&seen, box = std::make_unique<int>(7)]() -> Promise<void> {
        seen = *box;
        co_return;
    });

    EXPECT_EQ(seen, 7);
}

TEST_F(ScopeOfALoop, ChildrenSpawnChildren) {
    Scope scope;
    scope.spawn([&]() -> Promise<void> {
        co_await child("a");
        scope.spawn([&] { return child("b"); });
    });
    const auto joined = join(scope);
    notify(word);
    until([&] {
        loop->poll();
        return waiting_at(word) == 1;
    });
    EXPECT_FALSE(joined.is_settled());
    notify(word);
    loop->run_until(joined);

    EXPECT_EQ(story, "a b joined ");
}

TEST_F(ScopeOfALoop, TheFirstExceptionStopsTheOthersAndIsThrownAfterTheyHaveEnded) {
    Scope scope;
    std::atomic<int> other{0};
    scope.spawn([&] { return failing("first"); });
    scope.spawn([&](std::stop_token stop) -> Promise<void> {
        EXPECT_EQ(co_await wait_async(other, 0, stop).promise(), WaitResult::cancelled);
        co_await futon::sleep_for(1ms);
        story += "ended ";
        throw std::runtime_error("second");
    });
    auto joined = join(scope);

    notify(word);

    try {
        loop->run_until(joined);
        ADD_FAILURE() << "no exception";
    } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "first");
    }
    EXPECT_EQ(story, "ended ");
    EXPECT_TRUE(scope.stop_requested());
    EXPECT_EQ(scope.running(), 0u);
}

TEST_F(ScopeOfALoop, AnExceptionOfTheCallIsTheChilds) {
    Scope scope;
    scope.spawn([]() -> Promise<void> { throw std::runtime_error("inside"); });
    EXPECT_NO_THROW(scope.spawn([&](std::stop_token) -> Promise<int> {
        if (story.empty()) throw std::logic_error("not a coroutine");
        return futon::fulfilled(1);
    }));

    EXPECT_THROW(loop->run_until(join(scope)), std::runtime_error);
}

TEST_F(ScopeOfALoop, AnExceptionIsThrownOnce) {
    Scope scope;
    scope.spawn([]() -> Promise<void> { throw std::runtime_error("no"); });
    EXPECT_THROW(loop->run_until(join(scope)), std::runtime_error);

    EXPECT_NO_THROW(loop->run_until(join(scope)));
}

TEST_F(ScopeOfALoop, AnExceptionThatIsNeverJoinedIsReported) {
    {
        Scope scope;
        scope.spawn([]() -> Promise<void> { throw std::runtime_error("no"); });
    }

    EXPECT_THROW(loop->run(), std::runtime_error);
}

TEST_F(ScopeOfALoop, RequestStopStopsTheChildren) {
    Scope scope;
    scope.spawn([&](std::stop_token stop) { return child("a", stop); });
    const auto joined = join(scope);

    EXPECT_TRUE(scope.request_stop());
    EXPECT_FALSE(scope.request_stop());
    loop->run_until(joined);

    EXPECT_EQ(story, "a-stopped joined ");
}

TEST_F(ScopeOfALoop, AStopOfTheParentStopsTheChildren) {
    std::stop_source parent;
    Scope scope(parent.get_token());
    scope.spawn([&](std::stop_token stop) { return child("a", stop); });
    const auto joined = join(scope);

    const std::jthread stopper([&] { parent.request_stop(); });
    loop->run_until(joined);

    EXPECT_EQ(story, "a-stopped joined ");
}

TEST_F(ScopeOfALoop, AParentThatWasStoppedStopsAtOnce) {
    std::stop_source parent;
    parent.request_stop();

    const Scope scope(parent.get_token());

    EXPECT_TRUE(scope.stop_requested());
}

TEST_F(ScopeOfALoop, AStopOfTheScopeIsNoneOfItsParent) {
    std::stop_source parent;
    Scope scope(parent.get_token());
    scope.request_stop();

    EXPECT_FALSE(parent.stop_requested());
}

TEST_F(ScopeOfALoop, AJoinThatIsStoppedStopsTheChildrenAndWaitsForThem) {
    Scope scope;
    std::stop_source stop;
    scope.spawn([&](std::stop_token token) { return child("a", token); });
    scope.spawn([&] { return child("b"); });  // heeds no token
    const auto joined = join(scope, stop.get_token());

    stop.request_stop();
    loop->poll();
    EXPECT_FALSE(joined.is_settled());
    notify(word);
    loop->run_until(joined);

    EXPECT_EQ(story, "a-stopped b joined ");
}

TEST_F(ScopeOfALoop, AJoinWithALimitStopsTheChildrenThen) {
    Scope scope;
    scope.spawn([&](std::stop_token stop) { return child("a", stop); });
    auto joins = [&]() -> Promise<void> { co_await scope.join(1ms); };

    loop->run_until(joins());

    EXPECT_EQ(story, "a-stopped ");
}

TEST_F(ScopeOfALoop, AJoinThatIsOverKeepsNoTimer) {
    Scope scope;
    scope.spawn([&] { return child("a"); });
    auto joins = [&]() -> Promise<void> { co_await scope.join(1h); };
    const auto joined = joins();
    notify(word);

    loop->run();

    EXPECT_TRUE(joined.is_settled());
    EXPECT_FALSE(scope.stop_requested());
}

TEST_F(ScopeOfALoop, SpawnAfterTheJoinThrowsAndBeginsNothing) {
    Scope scope;
    loop->run_until(join(scope));
    bool has_begun = false;

    EXPECT_THROW(scope.spawn([&]() -> Promise<void> {
        has_begun = true;
        co_return;
    }),
                 std::logic_error);

    EXPECT_FALSE(has_begun);
}

TEST_F(ScopeOfALoop, ASecondJoinAtOnceThrows) {
    Scope scope;
    scope.spawn([&] { return child("a"); });
    const auto first = join(scope);

    EXPECT_THROW(loop->run_until(join(scope)), std::logic_error);

    notify(word);
    loop->run_until(first);
}

TEST_F(ScopeOfALoop, AnotherThreadIsRefused) {
    Scope scope;
    const std::jthread other([&] {
        EXPECT_THROW(scope.spawn([&] { return child("a"); }), std::logic_error);
        EXPECT_THROW(static_cast<void>(scope.join()), std::logic_error);
        EXPECT_TRUE(scope.request_stop());
    });
}

TEST_F(ScopeOfALoop, WithScopeYieldsWhatTheBodyReturnsOnceAllHaveEnded) {
    auto result = with_scope([&](Scope& scope) -> Promise<int> {
        scope.spawn([&] { return child("a"); });
        co_return 7;
    });
    loop->poll();
    EXPECT_FALSE(result.is_settled());

    notify(word);

    EXPECT_EQ(loop->run_until(result), 7);
    EXPECT_EQ(story, "a ");
}

TEST_F(ScopeOfALoop, WithScopeJoinsThoughTheBodyThrows) {
    const auto result = with_scope([&](Scope& scope) -> Promise<void> {
        scope.spawn([&](std::stop_token stop) { return child("a", stop); });
        co_await futon::sleep_for(1ms);
        throw std::runtime_error("body");
    });

    EXPECT_THROW(loop->run_until(result), std::runtime_error);

    EXPECT_EQ(story, "a-stopped ");
}

TEST_F(ScopeOfALoop, WithScopeStopsItsBodyWhenAChildFails) {
    const auto result = with_scope([&](Scope& scope) -> Promise<int> {
        scope.spawn([&] { return failing("child"); });
        std::atomic<int> other{0};
        co_await wait_async(other, 0, scope.stop_token()).promise();
        throw std::logic_error("body");
    });
    notify(word);

    EXPECT_THROW(loop->run_until(result), std::runtime_error);
}

TEST_F(ScopeOfALoop, WithScopeNests) {
    std::stop_source stop;
    const auto result = with_scope(
        [&](Scope& outer) -> Promise<void> {
            outer.spawn([&](std::stop_token token) {
                return with_scope(
                    [&](Scope& inner) -> Promise<void> {
                        inner.spawn([&](std::stop_token innermost) { return child("inner", innermost); });
                        co_return;
                    },
                    token);
            });
            co_return;
        },
        stop.get_token());

    stop.request_stop();
    loop->run_until(result);

    EXPECT_EQ(story, "inner-stopped ");
}

TEST_F(ScopeOfALoop, EndsManyChildren) {
    const auto result = with_scope([&](Scope& scope) -> Promise<void> {
        for (int i = 0; i < 10'000; ++i) scope.spawn([&] { return child(""); });
        co_return;
    });

    EXPECT_EQ(notify(word), 10'000u);
    loop->run_until(result);

    EXPECT_EQ(story.size(), 10'000u);
}

}  // namespace
