// SPDX-License-Identifier: MIT
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include <gtest/gtest.h>

#include <futon/futon.hpp>

#include "support/scale.hpp"

namespace {

using futon::EventLoop;
using futon::notify;
using futon::Promise;
using futon::wait_async;
using futon::WaitResult;

/// How many coroutines await each other: far more than a stack has room for, if each took a part of it.
constexpr int depth = futon::test::scaled(1'000'000);

/// More of the stack than ending one coroutine may take, in the most wasteful build.
constexpr std::uintptr_t stack_of_a_few_calls = 64 * 1024;

/// How many coroutines have ended, and on what part of the stack.
class Ends {
public:
    void see(const void* frame) {
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

class SeesItsEnd {
public:
    explicit SeesItsEnd(Ends& ends) noexcept : ends_(ends) {}
    SeesItsEnd(const SeesItsEnd&) = delete;
    SeesItsEnd& operator=(const SeesItsEnd&) = delete;
    ~SeesItsEnd() { ends_.see(__builtin_frame_address(0)); }

private:
    Ends& ends_;
};

Promise<void> wait_for(std::atomic<int>& cell, Ends& ends) {
    const SeesItsEnd local(ends);
    co_await wait_async(cell, 0);
}

Promise<void> follow(Promise<void> another, Ends& ends) {
    const SeesItsEnd local(ends);
    co_await another;
}

/// The last of `depth` coroutines, each of which awaits the one before; the first awaits a notify.
Promise<void> chain(std::atomic<int>& cell, Ends& ends) {
    Promise<void> last = wait_for(cell, ends);
    for (int i = 1; i < depth; ++i) last = follow(std::move(last), ends);
    return last;
}

/// Begins the next of its kind once it is notified, and awaits it.
Promise<void> descend(std::atomic<int>& cell, int levels, Ends& ends) {
    const SeesItsEnd local(ends);
    co_await wait_async(cell, 0);
    if (levels > 1) co_await descend(cell, levels - 1, ends);
}

TEST(Depth, OfCoroutinesThatAwaitEachOtherTakesNoStackWhenTheyReturn) {
    EventLoop loop;
    std::atomic<int> cell{0};
    Ends ends;
    auto last = chain(cell, ends);

    notify(cell);
    loop.run_until(last);

    EXPECT_EQ(ends.count(), depth);
    EXPECT_LT(ends.stack(), stack_of_a_few_calls);
}

TEST(Depth, OfCoroutinesThatAwaitEachOtherTakesNoStackWhenTheirLoopEnds) {
    std::optional<EventLoop> loop(std::in_place);
    std::atomic<int> cell{0};
    Ends ends;
    const auto last = chain(cell, ends);

    loop.reset();

    EXPECT_EQ(ends.count(), depth);
    EXPECT_LT(ends.stack(), stack_of_a_few_calls);
}

TEST(Depth, OfCoroutinesThatNobodyAwaitsTakesNoStackWhenTheirLoopEnds) {
    std::optional<EventLoop> loop(std::in_place);
    std::atomic<int> cell{0};
    Ends ends;
    static_cast<void>(chain(cell, ends));

    loop.reset();

    EXPECT_EQ(ends.count(), depth);
    EXPECT_LT(ends.stack(), stack_of_a_few_calls);
}

TEST(Depth, OfCoroutinesThatAwaitEachOtherTakesNoStackWhenTheirLoopEndsWithTheWakeOnItsWay) {
    std::optional<EventLoop> loop(std::in_place);
    std::atomic<int> cell{0};
    Ends ends;
    const auto last = chain(cell, ends);
    EXPECT_EQ(notify(cell), 1u);

    loop.reset();

    EXPECT_EQ(ends.count(), depth);
    EXPECT_LT(ends.stack(), stack_of_a_few_calls);
}

TEST(Depth, OfCoroutinesThatBeganEachOtherTakesNoStackWhenTheirLoopEnds) {
    constexpr int levels = depth / 4;
    std::optional<EventLoop> loop(std::in_place);
    std::atomic<int> cell{0};
    Ends ends;
    const auto first = descend(cell, levels, ends);
    for (int i = 1; i < levels; ++i) {
        notify(cell);
        loop->poll();  // settles the wait
        loop->poll();  // resumes who awaits it
    }
    EXPECT_EQ(futon::core::process_table().count(&cell), 1u);

    loop.reset();

    EXPECT_EQ(ends.count(), levels);
    EXPECT_LT(ends.stack(), stack_of_a_few_calls);
}

TEST(Depth, OfThensTakesNoStackWhenTheyAreCalled) {
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

TEST(Depth, OfThensTakesNoStackWhenTheirLoopEnds) {
    std::optional<EventLoop> loop(std::in_place);
    std::atomic<int> cell{0};
    Ends ends;
    auto last = wait_async(cell, 0).promise();
    for (int i = 0; i < depth; ++i) {
        last = std::move(last).then([local = std::make_unique<SeesItsEnd>(ends)](WaitResult result) { return result; });
    }

    loop.reset();

    EXPECT_EQ(ends.count(), depth);
    EXPECT_LT(ends.stack(), stack_of_a_few_calls);
}

}  // namespace
