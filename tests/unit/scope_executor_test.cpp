// SPDX-License-Identifier: MIT
// What a scope asks of its agent's executor.
#include <futon/scope.hpp>

#include <chrono>

#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/queue_executor.hpp"

namespace {

using namespace std::chrono_literals;
using futon::Agent;
using futon::Promise;
using futon::Scope;
using futon::with_scope;

TEST(ScopeWithoutALoop, ThrowsNoExecutor) {
    EXPECT_THROW(Scope(), futon::NoExecutor);
    bool is_called = false;
    const auto body = [&](Scope&) -> Promise<void> {
        is_called = true;
        co_return;
    };
    EXPECT_THROW(static_cast<void>(with_scope(body)), futon::NoExecutor);
    EXPECT_FALSE(is_called);
}

TEST(ScopeOnAQueue, AJoinWithALimitNeedsTimers) {
    futon::test::QueueExecutor queue;
    const Agent agent(queue);
    Scope scope;
    bool has_thrown = false;
    auto joins = [&]() -> Promise<void> {
        try {
            co_await scope.join(1h);
        } catch (const futon::NoExecutor&) {
            has_thrown = true;
        }
        co_await scope.join();
    };

    EXPECT_TRUE(joins().is_settled());
    EXPECT_TRUE(has_thrown);
}

}  // namespace
