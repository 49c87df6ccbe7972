// SPDX-License-Identifier: MIT
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/scale.hpp"

namespace {

using futon::EventLoop;
using futon::notify;
using futon::Promise;
using futon::wait_async;
using futon::WaitResult;

/// How many coroutines await each other: far more than a stack has room for, if each took a part of it.
const int depth = futon::test::scaled(1'000'000);

/// More stack than the destruction of one coroutine takes in an unoptimized build.
constexpr std::uintptr_t stack_of_a_few_calls = 64 * 1024;

/// How many coroutines were destroyed, and how far apart on the stack.
class StackUseOfDestruction {
public:
    void add(const void* frame) {
        const auto place = reinterpret_cast<std::uintptr_t>(frame);
        lowest_ = count_ == 0 ? place : std::min(lowest_, place);
        highest_ = count_ == 0 ? place : std::max(highest_, place);
        ++count_;
    }

    int count() const { return count_; }
    std::uintptr_t stack() const { return highest_ - lowest_; }

private:
    int count_ = 0;
    std::uintptr_t lowest_ = 0;
    std::uintptr_t highest_ = 0;
};

class StackProbe {
public:
    explicit StackProbe(StackUseOfDestruction& use) noexcept : use_(use) {}
    StackProbe(const StackProbe&) = delete;
    StackProbe& operator=(const StackProbe&) = delete;
    ~StackProbe() { use_.add(__builtin_frame_address(0)); }

private:
    StackUseOfDestruction& use_;
};

Promise<void> wait_for(std::atomic<int>& cell, StackUseOfDestruction& use) {
    const StackProbe local(use);
    co_await wait_async(cell, 0);
}

Promise<void> follow(Promise<void> another, StackUseOfDestruction& use) {
    const StackProbe local(use);
    co_await another;
}

/// The last of `depth` coroutines, each of which awaits the one before; the first awaits a notify.
Promise<void> chain(std::atomic<int>& cell, StackUseOfDestruction& use) {
    Promise<void> last = wait_for(cell, use);
    for (int i = 1; i < depth; ++i) last = follow(std::move(last), use);
    return last;
}

/// Begins the next of its kind once it is notified, and awaits it.
Promise<void> descend(std::atomic<int>& cell, int levels, StackUseOfDestruction& use) {
    const StackProbe local(use);
    co_await wait_async(cell, 0);
    if (levels > 1) co_await descend(cell, levels - 1, use);
}

TEST(StackUse, IsConstantWhenAChainOfAwaitsReturns) {
    EventLoop loop;
    std::atomic<int> cell{0};
    StackUseOfDestruction use;
    auto last = chain(cell, use);

    notify(cell);
    loop.run_until(last);

    EXPECT_EQ(use.count(), depth);
    EXPECT_LT(use.stack(), stack_of_a_few_calls);
}

TEST(StackUse, IsConstantWhenTheLoopOfAChainOfAwaitsEnds) {
    std::optional<EventLoop> loop(std::in_place);
    std::atomic<int> cell{0};
    StackUseOfDestruction use;
    const auto last = chain(cell, use);

    loop.reset();

    EXPECT_EQ(use.count(), depth);
    EXPECT_LT(use.stack(), stack_of_a_few_calls);
}

TEST(StackUse, IsConstantWhenTheLoopOfADroppedChainOfAwaitsEnds) {
    std::optional<EventLoop> loop(std::in_place);
    std::atomic<int> cell{0};
    StackUseOfDestruction use;
    static_cast<void>(chain(cell, use));

    loop.reset();

    EXPECT_EQ(use.count(), depth);
    EXPECT_LT(use.stack(), stack_of_a_few_calls);
}

TEST(StackUse, IsConstantWhenTheLoopOfAChainOfAwaitsEndsWithAPostedWake) {
    std::optional<EventLoop> loop(std::in_place);
    std::atomic<int> cell{0};
    StackUseOfDestruction use;
    const auto last = chain(cell, use);
    EXPECT_EQ(notify(cell), 1u);

    loop.reset();

    EXPECT_EQ(use.count(), depth);
    EXPECT_LT(use.stack(), stack_of_a_few_calls);
}

TEST(StackUse, IsConstantWhenTheLoopOfNestedCoroutinesEnds) {
    const int levels = depth / 4;
    std::optional<EventLoop> loop(std::in_place);
    std::atomic<int> cell{0};
    StackUseOfDestruction use;
    const auto first = descend(cell, levels, use);
    for (int i = 1; i < levels; ++i) {
        notify(cell);
        loop->poll();  // settles the wait
        loop->poll();  // resumes its awaiter
    }
    EXPECT_EQ(futon::core::process_table().count(&cell), 1u);

    loop.reset();

    EXPECT_EQ(use.count(), levels);
    EXPECT_LT(use.stack(), stack_of_a_few_calls);
}

TEST(StackUse, IsConstantWhenAChainOfThensRuns) {
    EventLoop loop;
    std::atomic<int> cell{0};
    int calls = 0;
    auto last = wait_async(cell, 0).promise();
    for (int i = 0; i < depth; ++i) {
        last = std::move(last).then([&](WaitResult result) {
            ++calls;
            return result;
        });
    }

    notify(cell);
    const WaitResult result = loop.run_until(last);

    EXPECT_EQ(result, WaitResult::ok);
    EXPECT_EQ(calls, depth);
}

TEST(StackUse, IsConstantWhenTheLoopOfAChainOfThensEnds) {
    std::optional<EventLoop> loop(std::in_place);
    std::atomic<int> cell{0};
    StackUseOfDestruction use;
    auto last = wait_async(cell, 0).promise();
    for (int i = 0; i < depth; ++i) {
        last = std::move(last).then([local = std::make_unique<StackProbe>(use)](WaitResult result) { return result; });
    }

    loop.reset();

    EXPECT_EQ(use.count(), depth);
    EXPECT_LT(use.stack(), stack_of_a_few_calls);
}

}  // namespace
