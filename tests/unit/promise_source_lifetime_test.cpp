// SPDX-License-Identifier: MIT
#include <exception>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>

#include <futon/futon.hpp>
#include <futon/promise_source.hpp>

#include "support/coroutines.hpp"
#include "support/gtest.hpp"
#include "support/queue_executor.hpp"
#include "support/settling.hpp"

namespace {

using futon::EventLoop;
using futon::make_promise;
using futon::Promise;
using futon::PromiseSource;
using futon::test::broken;
using futon::test::DestructionCounter;
using futon::test::on_another_thread;

/// A promise, its source and its loop, each of which a test may end.
class SourcedPromise : public testing::Test {
protected:
    SourcedPromise() {
        auto [made, made_with] = make_promise<int>();
        promise.emplace(std::move(made));
        source.emplace(std::move(made_with));
    }

    std::optional<EventLoop> loop{std::in_place};
    std::optional<Promise<int>> promise;
    std::optional<PromiseSource<int>> source;
};

TEST_F(SourcedPromise, IsSettledWithoutEffectOnItsOwnThreadOnceItsAgentHasEnded) {
    loop.reset();

    EXPECT_NO_THROW(source->fulfil(7));

    EXPECT_FALSE(promise->is_settled());
    EXPECT_TRUE(source->is_settled());
}

TEST_F(SourcedPromise, IsSettledWithoutEffectOnAnotherThreadOnceItsAgentHasEnded) {
    loop.reset();

    on_another_thread([&] { EXPECT_NO_THROW(source->reject(broken())); });

    EXPECT_FALSE(promise->is_settled());
}

TEST_F(SourcedPromise, IsNotBrokenOnItsOwnThreadOnceItsAgentHasEnded) {
    loop.reset();

    source.reset();

    EXPECT_FALSE(promise->is_settled());
}

TEST_F(SourcedPromise, IsNotBrokenOnAnotherThreadOnceItsAgentHasEnded) {
    loop.reset();

    on_another_thread([&] { source.reset(); });

    EXPECT_FALSE(promise->is_settled());
}

TEST_F(SourcedPromise, ThatWasDroppedIsSettledOnItsOwnThreadWithoutEffect) {
    promise.reset();

    source->fulfil(7);

    EXPECT_TRUE(source->is_settled());
    loop->run();
}

TEST_F(SourcedPromise, ThatWasDroppedIsRejectedOnAnotherThreadWithoutEffect) {
    promise.reset();

    on_another_thread([&] { source->reject(broken()); });

    loop->run();
    EXPECT_TRUE(source->is_settled());
}

TEST_F(SourcedPromise, ThatWasDroppedIsBrokenWithoutEffect) {
    promise.reset();

    source.reset();

    loop->run();
}

TEST_F(SourcedPromise, ThatWasDroppedLetsTheLoopEnd) {
    promise.reset();

    loop->run();

    EXPECT_FALSE(source->is_settled());
}

TEST_F(SourcedPromise, ThatWasDroppedBeforeItsAgentEndedIsSettledWithoutEffect) {
    promise.reset();
    loop.reset();

    EXPECT_NO_THROW(source->fulfil(7));
}

TEST_F(SourcedPromise, ThatIsListenedToStaysWhenItIsDropped) {
    int value = 0;
    {
        const auto listening = std::move(*promise).then([&](int settled) { value = settled; });
    }
    promise.reset();

    on_another_thread([&] { source->fulfil(7); });
    loop->run();

    EXPECT_EQ(value, 7);
}

TEST_F(SourcedPromise, DestroysACoroutineThatAwaitsItWhenItsAgentEnds) {
    int destroyed = 0;
    const auto wait = [](Promise<int> awaited, int& count) -> Promise<void> {
        const DestructionCounter local(count);
        co_await awaited;
    };
    const auto waiting = wait(std::move(*promise), destroyed);

    loop.reset();

    EXPECT_EQ(destroyed, 1);
    EXPECT_NO_THROW(source->fulfil(7));
}

TEST_F(SourcedPromise, NeverSettlesWhenItsAgentEndsWithTheSettlingUnderWay) {
    on_another_thread([&] { source->fulfil(7); });

    loop.reset();

    EXPECT_FALSE(promise->is_settled());
    EXPECT_TRUE(source->is_settled());
}

TEST_F(SourcedPromise, ReportsARejectionThatIsNotObserved) {
    source->reject(broken());

    promise.reset();

    EXPECT_THROW(loop->run(), std::runtime_error);
}

TEST(SourcedPromiseOfAnAgent, NeverSettlesWhenItsAgentEndsWithTheSettlingUnderWay) {
    futon::test::QueueExecutor queue;
    std::optional<futon::Agent> agent(std::in_place, queue);
    auto [promise, source] = make_promise<int>();
    on_another_thread([&other = source] { other.fulfil(7); });

    agent.reset();
    queue.run_all();

    EXPECT_FALSE(promise.is_settled());
}

TEST(SourcedPromiseOfAnAgent, SettlesWhenItsExecutorRuns) {
    futon::test::QueueExecutor queue;
    const futon::Agent agent(queue);
    auto [promise, source] = make_promise<int>();
    on_another_thread([&other = source] { other.fulfil(7); });

    queue.run_all();

    EXPECT_TRUE(promise.is_settled());
}

TEST(SourcedPromisePair, ThatIsDroppedAsAWholeReportsNothing) {
    EventLoop loop;

    { const auto pair = make_promise<int>(); }

    EXPECT_NO_THROW(loop.run());
}

/// Throws when it is made of a number, or when it is moved for the n-th time.
struct Throwing {
    explicit Throwing(int moves) : moves_left(moves) {
        if (moves < 0) throw std::runtime_error("made");
    }
    Throwing(Throwing&& other) : moves_left(other.moves_left - 1) {
        if (moves_left < 0) throw std::runtime_error("moved");
    }
    Throwing& operator=(Throwing&&) = delete;

    int moves_left;
};

TEST(PromiseSourceErrors, AValueWhoseConstructionThrowsLeavesThePromisePending) {
    EventLoop loop;
    auto [promise, source] = make_promise<Throwing>();

    EXPECT_THROW(source.fulfil(-1), std::runtime_error);

    EXPECT_FALSE(source.is_settled());
    source.fulfil(100);
    EXPECT_GT(loop.run_until(promise).moves_left, 0);
}

/// Fulfils with a value that may be moved this often. Either it settles the promise, be it with what the move threw; or it
/// throws, and then the promise can still be settled.
void expect_settled_or_pending(int moves) {
    EventLoop loop;
    auto [promise, source] = make_promise<Throwing>();
    promise.unref();
    try {
        source.fulfil(moves);
    } catch (const std::runtime_error&) {
        EXPECT_FALSE(source.is_settled()) << moves;
        if (!source.is_settled()) source.fulfil(100);
    }
    loop.run();
    EXPECT_TRUE(promise.is_settled()) << moves;
    if (promise.is_settled()) {
        try {
            static_cast<void>(loop.run_until(promise));
        } catch (const std::runtime_error&) {
            SUCCEED() << "the promise carries what the move threw";
        }
    }
}

TEST(PromiseSourceErrors, AValueThatCannotBeMovedOnceLeavesThePromisePending) {
    expect_settled_or_pending(0);
}

TEST(PromiseSourceErrors, AValueWhoseMoveThrowsLeavesThePromiseSettledOrPending) {
    for (int moves = 1; moves < 8; ++moves) expect_settled_or_pending(moves);
}

}  // namespace
