// SPDX-License-Identifier: MIT
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include <futon/futon.hpp>

#include "support/coroutines.hpp"
#include "support/gtest.hpp"
#include "support/queue_executor.hpp"
#include "support/waiting.hpp"

namespace {

using futon::Agent;
using futon::EventLoop;
using futon::notify;
using futon::Promise;
using futon::Scope;
using futon::wait_async;
using futon::with_scope;
using futon::test::OwnedCoroutine;
using futon::test::QueueExecutor;
using futon::test::waiting_at;

/// Writes down when it is destroyed, into what the coroutine around it holds.
class Trace {
public:
    Trace(std::string& story, std::string name) : story_(story), name_(std::move(name)) {}
    Trace(const Trace&) = delete;
    Trace& operator=(const Trace&) = delete;
    ~Trace() { story_ += name_ + " "; }

private:
    std::string& story_;
    std::string name_;
};

/// A loop that ends while a scope has children.
class ScopeEnd : public testing::Test {
protected:
    Promise<void> child(std::string& told, std::string name) {
        const Trace trace(told, std::move(name));
        co_await wait_async(word, 0).promise();
    }

    std::atomic<int> word{0};
    std::string story;
    std::optional<EventLoop> loop{std::in_place};
};

TEST_F(ScopeEnd, ChildrenThatWaitAreDestroyedBeforeWhatJoinsThem) {
    static_cast<void>(with_scope([&](Scope& scope) -> Promise<void> {
        const Trace body(story, "body");
        scope.spawn([&, kept = std::make_unique<Trace>(story, "captured")] { return child(story, "child"); });
        co_return;
    }));
    EXPECT_EQ(story, "body ");

    loop.reset();

    EXPECT_EQ(story, "body child captured ");
    EXPECT_EQ(waiting_at(word), 0u);
}

TEST_F(ScopeEnd, AChildOutlivesNothingOfTheCoroutineThatJoins) {
    auto holds = [&]() -> Promise<void> {
        const Trace holder(story, "holder");
        std::string of_children;
        Scope scope;
        scope.spawn([&] { return child(of_children, "child"); });
        scope.spawn([&]() -> Promise<void> {
            const Trace trace(of_children, "ready");
            co_await wait_async(word, 0).promise();
        });
        const Trace end(story, "end");
        co_await scope.join();
    };
    static_cast<void>(holds());
    notify(word, 1);  // one child is about to go on

    loop.reset();

    EXPECT_EQ(story, "end holder ");
}

TEST_F(ScopeEnd, AChildThatIsAboutToGoOnAfterAPromiseIsDestroyedBeforeWhatJoins) {
    auto [promise, source] = futon::make_promise<int>();
    auto holds = [&, &awaited = promise]() -> Promise<void> {
        std::string of_children;
        const Trace holder(story, "holder");
        Scope scope;
        scope.spawn([&]() -> Promise<void> {
            const Trace trace(of_children, "child");
            co_await awaited;
        });
        co_await scope.join();
    };
    static_cast<void>(holds());
    source.fulfil(7);

    loop.reset();

    EXPECT_EQ(story, "holder ");
}

TEST_F(ScopeEnd, ANestedScopeIsDestroyedFromTheInside) {
    static_cast<void>(with_scope([&](Scope& outer) -> Promise<void> {
        outer.spawn([&]() -> Promise<void> {
            const Trace trace(story, "outer");
            co_await with_scope([&](Scope& inner) -> Promise<void> {
                inner.spawn([&] { return child(story, "inner"); });
                co_return;
            });
        });
        co_return;
    }));

    loop.reset();

    EXPECT_EQ(story, "inner outer ");
}

TEST_F(ScopeEnd, AScopeThatIsNotJoinedYetTakesItsWaitingChildrenAlong) {
    auto holds = [&]() -> Promise<void> {
        const Trace holder(story, "holder");
        Scope scope;
        std::atomic<int> accept{0};
        auto accepted = wait_async(accept, 0);  // the first wait that the loop's end ends
        scope.spawn([&] { return child(story, "child"); });
        co_await accepted.promise();
        co_await scope.join();
    };
    static_cast<void>(holds());

    loop.reset();

    EXPECT_EQ(story, "child holder ");
}

TEST_F(ScopeEnd, AnAgentThatIsClosedEndsTheChildrenAndTheJoin) {
    static_cast<void>(with_scope([&](Scope& scope) -> Promise<void> {
        scope.spawn([&] { return child(story, "child"); });
        co_return;
    }));

    loop->close();

    EXPECT_EQ(story, "child ");
    EXPECT_EQ(waiting_at(word), 0u);
}

TEST_F(ScopeEnd, AScopeOutsideOfTheLoopsCoroutinesMayOutliveTheLoop) {
    std::optional<Scope> scope(std::in_place);
    scope->spawn([&] { return child(story, "child"); });

    loop.reset();
    scope.reset();

    EXPECT_EQ(story, "child ");
}

OwnedCoroutine join_owned(Scope& scope, std::error_code& error) {
    try {
        co_await scope.join();
    } catch (const std::system_error& caught) {
        error = caught.code();
    }
}

TEST_F(ScopeEnd, AForeignCoroutineThatJoinsIsResumedWithAnErrorAfterTheChildren) {
    std::error_code error;
    Scope scope;
    scope.spawn([&] { return child(story, "child"); });
    const OwnedCoroutine coroutine = join_owned(scope, error);

    loop.reset();

    EXPECT_TRUE(coroutine.is_done());
    EXPECT_EQ(error, std::errc::operation_canceled);
    EXPECT_EQ(story, "child ");
}

TEST_F(ScopeEnd, ADestroyedJoinLeavesTheChildrenForAnother) {
    std::error_code error;
    Scope scope;
    scope.spawn([&] { return child(story, "child"); });
    OwnedCoroutine coroutine = join_owned(scope, error);
    coroutine.destroy();
    const OwnedCoroutine next = join_owned(scope, error);

    notify(word);
    loop->run();

    EXPECT_TRUE(next.is_done());
    EXPECT_FALSE(error);
}

TEST(ScopeEndOnAQueue, WhatJoinsIsDestroyedAfterWhatItsChildrenHaveCaptured) {
    std::atomic<int> word{0};
    std::string story;
    QueueExecutor queue;
    std::optional<Agent> agent(std::in_place, queue);
    auto holds = [&]() -> Promise<void> {
        const Trace holder(story, "holder");
        Scope scope;
        for (int i = 0; i < 2; ++i) {
            scope.spawn([&, kept = std::make_unique<Trace>(story, "captured")]() -> Promise<void> {
                const Trace trace(story, "child");
                co_await wait_async(word, 0).promise();
            });
        }
        co_await scope.join();
    };
    static_cast<void>(holds());
    notify(word, 1);

    agent.reset();
    queue.run_all();

    // One child was about to go on: it is destroyed with the job that the executor has not given back.
    EXPECT_EQ(story, "child captured captured holder child ");
}

using ScopeDeathTest = ScopeEnd;

TEST_F(ScopeDeathTest, AScopeThatEndsBeforeItsChildrenEndsTheProgram) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_DEATH(
        {
            Scope scope;
            scope.spawn([&] { return child(story, "child"); });
        },
        "a scope ends after its children: co_await its join.., which an exception may have passed over");
}

}  // namespace
