// SPDX-License-Identifier: MIT
// What keeps a loop running, and where the exceptions of one that a host polls go.
#include <atomic>
#include <chrono>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <futon/core/loop/loop_executor.hpp>
#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/promises.hpp"

namespace {

using namespace std::chrono_literals;
using futon::EventLoop;
using futon::WorkGuard;
using futon::core::LoopExecutor;

TEST(WorkGuard, KeepsRunFromReturning) {
    EventLoop loop;
    std::optional<WorkGuard> guard(loop.keep_running());
    bool has_run = false;
    const std::jthread poster([&] {
        loop.post([&] {
            has_run = true;
            guard.reset();
        });
    });

    loop.run();

    EXPECT_TRUE(has_run);
}

TEST(WorkGuard, MayBeDroppedOnAnotherThread) {
    EventLoop loop;
    bool has_run = false;
    const std::jthread worker([&, guard = loop.keep_running()]() mutable {
        loop.post([&] { has_run = true; });
        const WorkGuard dropped = std::move(guard);
    });

    loop.run();

    EXPECT_TRUE(has_run);
}

TEST(WorkGuard, HoldsOnceWhenItIsMoved) {
    EventLoop loop;
    WorkGuard first = loop.keep_running();
    WorkGuard second = std::move(first);
    first = loop.keep_running();
    first = std::move(second);
    second.reset();
    bool has_run = false;
    loop.post_after(1ms, [&] {
        has_run = true;
        first.reset();
    });

    loop.run();

    EXPECT_TRUE(has_run);
}

TEST(WorkGuard, AStopEndsTheRunAllTheSame) {
    EventLoop loop;
    const WorkGuard guard = loop.keep_running();
    loop.post([&] { loop.stop(); });

    loop.run();

    SUCCEED();
}

TEST(WorkGuard, MayBeHeldByAFunctionThatTheLoopDiscards) {
    EventLoop loop;
    loop.post([guard = loop.keep_running()] {});

    SUCCEED();
}

TEST(WorkGuard, IsWorkOfAnExecutor) {
    LoopExecutor executor([]() noexcept {});
    WorkGuard guard = executor.keep_running();
    const bool had_work = executor.has_work();

    guard.reset();

    EXPECT_TRUE(had_work);
    EXPECT_FALSE(executor.has_work());
}

/// A loop whose exceptions go to a handler, which notes them.
class UnhandledHandler : public testing::Test {
protected:
    UnhandledHandler() {
        loop.set_unhandled_handler([this](const std::exception_ptr& exception) {
            try {
                std::rethrow_exception(exception);
            } catch (const std::runtime_error& error) {
                errors.emplace_back(error.what());
            }
            seen.push_back(futon::Agent::current().executor());
        });
    }

    EventLoop loop;
    std::vector<std::string> errors;
    std::vector<futon::Executor*> seen;
};

TEST_F(UnhandledHandler, TakesExceptionsInTheirPlaceAmongTheJobs) {
    for (const char* text : {"first", "second"}) {
        loop.post([text] { throw std::runtime_error(text); });
        loop.post([&] { errors.emplace_back("job"); });
    }

    loop.run();

    EXPECT_EQ(errors, (std::vector<std::string>{"first", "job", "second", "job"}));
}

TEST_F(UnhandledHandler, TakesTheExceptionsOfAPoll) {
    loop.post([] { throw std::runtime_error("broken"); });

    EXPECT_TRUE(loop.poll());

    EXPECT_EQ(errors, std::vector<std::string>{"broken"});
}

TEST_F(UnhandledHandler, TakesARejectionThatIsNotObserved) {
    static_cast<void>(futon::test::rejected());

    EXPECT_TRUE(errors.empty());
    EXPECT_TRUE(loop.poll());

    EXPECT_EQ(errors.size(), 1u);
}

TEST_F(UnhandledHandler, TakesExceptionsOfOneJobInTheirOrder) {
    loop.post([] {
        static_cast<void>(futon::test::rejected("first"));
        static_cast<void>(futon::test::rejected("second"));
        throw std::runtime_error("third");
    });

    loop.run();

    EXPECT_EQ(errors, (std::vector<std::string>{"first", "second", "third"}));
}

TEST_F(UnhandledHandler, TakesManyExceptionsInTheirOrderAndThoseBehindThem) {
    std::vector<std::string> expected;
    for (int i = 0; i < 50; ++i) {
        expected.push_back(std::to_string(i));
        static_cast<void>(futon::test::rejected(expected.back().c_str()));
    }
    EXPECT_TRUE(loop.poll());
    expected.emplace_back("last");
    static_cast<void>(futon::test::rejected("last"));

    EXPECT_TRUE(loop.poll());

    EXPECT_EQ(errors, expected);
}

TEST_F(UnhandledHandler, IsCalledUnderTheLoopsAgent) {
    loop.post([] { throw std::runtime_error("broken"); });
    const EventLoop inner;

    loop.run();

    EXPECT_EQ(seen, std::vector<futon::Executor*>{&loop});
}

TEST_F(UnhandledHandler, IsCalledUnderTheLoopsAgentAlthoughTheJobHasMadeAnother) {
    std::optional<EventLoop> made;
    loop.post([&] {
        made.emplace();
        throw std::runtime_error("broken");
    });

    loop.run();

    EXPECT_EQ(seen, std::vector<futon::Executor*>{&loop});
}

TEST_F(UnhandledHandler, WhatItThrowsLeavesFromRun) {
    loop.set_unhandled_handler([](const std::exception_ptr&) { throw std::invalid_argument("by the handler"); });
    loop.post([] { throw std::runtime_error("broken"); });

    EXPECT_THROW(loop.run(), std::invalid_argument);
}

TEST_F(UnhandledHandler, MayBeTakenAwayByItself) {
    loop.set_unhandled_handler([&](const std::exception_ptr&) { loop.set_unhandled_handler({}); });
    for (int i = 0; i < 2; ++i) loop.post([] { throw std::runtime_error("broken"); });

    EXPECT_THROW(loop.run(), std::runtime_error);
}

TEST(LoopExecutor, GivesItsExceptionsToTheHandler) {
    LoopExecutor executor([]() noexcept {});
    int errors = 0;
    executor.set_unhandled_handler([&](const std::exception_ptr&) { ++errors; });
    executor.post([] { throw std::runtime_error("broken"); });

    executor.poll();

    EXPECT_EQ(errors, 1);
}

}  // namespace
