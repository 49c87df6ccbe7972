// SPDX-License-Identifier: MIT
// A spawn that throws.
#include <functional>
#include <optional>
#include <stdexcept>

#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/scope_of_a_loop.hpp"

namespace {

using futon::Promise;
using futon::Scope;
using futon::test::ScopeOfALoop;

/// A child whose n-th move throws.
struct ThrowsAtAMove {
    ThrowsAtAMove(int& moves_left, const std::function<Promise<void>()>& f) : left(moves_left), function(f) {}
    ThrowsAtAMove(ThrowsAtAMove&& other) : left(other.left), function(other.function) {
        if (--left == 0) throw std::runtime_error("moved once too often");
    }
    Promise<void> operator()() { return function(); }
    int& left;
    const std::function<Promise<void>()>& function;
};

TEST_F(ScopeOfALoop, SpawnThatThrowsBeginsNoChildAndKeepsTheOthers) {
    const std::function<Promise<void>()> begin_child = [&] { return child("no"); };
    for (const bool is_joined_before : {false, true}) {
        for (int moves = 1; moves < 4; ++moves) {
            story.clear();
            Scope scope;
            scope.spawn([&] { return child("a"); });
            std::optional<Promise<void>> joined;
            if (is_joined_before) joined = join(scope);
            int left = moves;
            try {
                scope.spawn(ThrowsAtAMove(left, begin_child));
                EXPECT_GT(left, 0);
            } catch (const std::runtime_error&) {
                EXPECT_EQ(left, 0);
                EXPECT_EQ(scope.running(), 1u);
            }
            if (!is_joined_before) joined = join(scope);
            futon::notify(word);
            loop->run();
            EXPECT_EQ(story.substr(story.size() - 7), "joined ") << story;
        }
    }
}

TEST_F(ScopeOfALoop, SpawnThatThrowsWithoutOtherChildrenLetsTheJoinGoOn) {
    const std::function<Promise<void>()> begin_child = [&] { return child("no"); };
    Scope scope;
    int left = 1;
    EXPECT_THROW(scope.spawn(ThrowsAtAMove(left, begin_child)), std::runtime_error);
    const auto joined = join(scope);
    loop->run();
    EXPECT_EQ(story, "joined ");
}

}  // namespace
