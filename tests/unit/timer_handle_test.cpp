// SPDX-License-Identifier: MIT
#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>

#include <futon/futon.hpp>

#include "support/coroutines.hpp"
#include "support/gtest.hpp"

namespace {

using namespace std::chrono_literals;
using futon::Deadline;
using futon::EventLoop;
using futon::TimerHandle;
using futon::test::DestructionCounter;

TEST(TimerHandle, CancelKeepsTheFunctionFromRunning) {
    EventLoop loop;
    bool has_run = false;
    TimerHandle handle = loop.post_after(1ms, [&] { has_run = true; });

    EXPECT_TRUE(handle.cancel());

    loop.run();
    EXPECT_FALSE(has_run);
}

TEST(TimerHandle, CancelReturnsFalseTheSecondTime) {
    EventLoop loop;
    TimerHandle handle = loop.post_after(1h, [] {});
    handle.cancel();

    EXPECT_FALSE(handle.cancel());
}

TEST(TimerHandle, CancelReturnsFalseOnceTheFunctionHasRun) {
    EventLoop loop;
    TimerHandle handle = loop.post_after(0ms, [] {});
    loop.run();

    EXPECT_FALSE(handle.cancel());
}

TEST(TimerHandle, CancelReturnsFalseInTheFunctionItself) {
    EventLoop loop;
    std::optional<bool> cancelled;
    TimerHandle handle;
    handle = loop.post_after(0ms, [&] { cancelled = handle.cancel(); });

    loop.run();

    EXPECT_EQ(cancelled, false);
}

TEST(TimerHandle, CancelThrowsOnAnotherThreadAndChangesNothing) {
    EventLoop loop;
    bool has_run = false;
    TimerHandle handle = loop.post_after(0ms, [&] { has_run = true; });

    std::thread([&] { EXPECT_THROW(handle.cancel(), std::logic_error); }).join();

    EXPECT_TRUE(handle.is_pending());
    loop.run();
    EXPECT_TRUE(has_run);
}

TEST(TimerHandle, CancelReturnsFalseOnceTheLoopHasEnded) {
    std::optional<EventLoop> loop(std::in_place);
    TimerHandle handle = loop->post_after(1h, [] {});

    loop.reset();

    EXPECT_FALSE(handle.is_pending());
    EXPECT_FALSE(handle.cancel());
}

TEST(TimerHandle, CancelDestroysTheFunctionAtOnce) {
    EventLoop loop;
    int destroyed = 0;
    TimerHandle handle = loop.post_after(1h, [held = DestructionCounter(destroyed)] {});

    handle.cancel();

    EXPECT_EQ(destroyed, 1);
}

TEST(TimerHandle, CancelLetsTheLoopEnd) {
    EventLoop loop;
    TimerHandle handle = loop.post_at(Deadline::never(), [] {});
    handle.cancel();

    loop.run();

    EXPECT_FALSE(handle.is_pending());
}

TEST(TimerHandle, MayBeCancelledByAJob) {
    EventLoop loop;
    bool has_run = false;
    TimerHandle handle = loop.post_after(1h, [&] { has_run = true; });
    loop.post([&] { handle.cancel(); });

    loop.run();

    EXPECT_FALSE(has_run);
}

TEST(TimerHandle, MayBeCancelledByAnotherTimerThatIsDueAtTheSameTime) {
    EventLoop loop;
    bool has_run = false;
    const auto deadline = std::chrono::steady_clock::now();
    TimerHandle handle;
    loop.post_at(deadline, [&] { handle.cancel(); });
    handle = loop.post_at(deadline, [&] { has_run = true; });

    loop.run();

    EXPECT_FALSE(has_run);
}

TEST(TimerHandle, ThatIsDroppedChangesNothing) {
    EventLoop loop;
    bool has_run = false;
    {
        const TimerHandle handle = loop.post_after(0ms, [&] { has_run = true; });
    }

    loop.run();

    EXPECT_TRUE(has_run);
}

TEST(TimerHandle, MayBeDroppedInTheFunctionItself) {
    EventLoop loop;
    int destroyed = 0;
    auto handle = std::make_unique<TimerHandle>();
    *handle = loop.post_after(0ms, [&, held = DestructionCounter(destroyed)] { handle.reset(); });

    loop.run();

    EXPECT_EQ(destroyed, 1);
}

TEST(TimerHandle, MayBeOwnedByTheFunctionThatItCancels) {
    EventLoop loop;
    auto shared = std::make_shared<TimerHandle>();
    int destroyed = 0;
    *shared = loop.post_after(1h, [owned = shared, held = DestructionCounter(destroyed)] {});
    TimerHandle& handle = *shared;
    const std::weak_ptr<TimerHandle> watching = shared;
    shared.reset();

    EXPECT_TRUE(handle.cancel());

    EXPECT_EQ(destroyed, 1);
    EXPECT_TRUE(watching.expired());
}

TEST(TimerHandle, IsPendingUntilTheFunctionRuns) {
    EventLoop loop;
    std::optional<bool> was_pending;
    TimerHandle handle;
    handle = loop.post_after(0ms, [&] { was_pending = handle.is_pending(); });
    EXPECT_TRUE(handle.is_pending());

    loop.run();

    EXPECT_EQ(was_pending, false);
    EXPECT_FALSE(handle.is_pending());
}

TEST(TimerHandle, OfNothingIsNotPending) {
    TimerHandle handle;

    EXPECT_FALSE(handle.is_pending());
    EXPECT_FALSE(handle.cancel());
}

TEST(TimerHandle, TransfersItsTimerWhenMoved) {
    EventLoop loop;
    TimerHandle first = loop.post_after(1h, [] {});

    TimerHandle second(std::move(first));

    EXPECT_FALSE(first.cancel());  // NOLINT(bugprone-use-after-move)
    EXPECT_TRUE(second.cancel());
}

TEST(TimerHandle, ThatIsAssignedKeepsBothTimers) {
    EventLoop loop;
    int runs = 0;
    TimerHandle handle = loop.post_after(0ms, [&] { ++runs; });

    handle = loop.post_after(0ms, [&] { ++runs; });
    loop.run();

    EXPECT_EQ(runs, 2);
}

TEST(TimerHandle, OfAFunctionThatThrewIsNotPending) {
    EventLoop loop;
    TimerHandle handle = loop.post_after(0ms, [] { throw std::runtime_error("broken"); });

    EXPECT_THROW(loop.run(), std::runtime_error);

    EXPECT_FALSE(handle.cancel());
}

TEST(TimerHandle, MayBeCancelledWhileAnotherFunctionIsDestroyedWithTheLoop) {
    struct CancelsAtItsEnd {
        explicit CancelsAtItsEnd(TimerHandle& timer) : handle(timer) {}
        ~CancelsAtItsEnd() { handle.cancel(); }
        TimerHandle& handle;
    };
    std::optional<EventLoop> loop(std::in_place);
    int destroyed = 0;
    TimerHandle other;
    auto cancels = std::make_shared<CancelsAtItsEnd>(other);
    loop->post_after(1h, [held = cancels] {});
    other = loop->post_after(2h, [held = DestructionCounter(destroyed)] {});
    cancels.reset();

    loop.reset();

    EXPECT_EQ(destroyed, 1);
    EXPECT_FALSE(other.is_pending());
}

TEST(PostAfter, RunsTheFunctionNotBeforeItsTime) {
    EventLoop loop;
    const auto begin = std::chrono::steady_clock::now();
    std::chrono::steady_clock::time_point ran_at;
    loop.post_after(2ms, [&] { ran_at = std::chrono::steady_clock::now(); });

    loop.run();

    EXPECT_GE(ran_at - begin, 2ms);
}

}  // namespace
