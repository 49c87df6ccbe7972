// SPDX-License-Identifier: MIT
#include <atomic>
#include <optional>
#include <thread>
#include <vector>

#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/queue_executor.hpp"
#include "support/waiting.hpp"

namespace {

using futon::notify;
using futon::WaitResult;
using futon::Word;
using futon::core::AsyncWaiter;
using futon::core::process_table;
using futon::core::Waiter;
using futon::core::WaitTable;
using futon::core::WakeToken;
using futon::test::QueueExecutor;
using futon::test::waiting_at;

/// Records its completions and discards.
class Recorder : public AsyncWaiter {
public:
    using AsyncWaiter::AsyncWaiter;
    virtual ~Recorder() = default;

    std::vector<WaitResult> results;
    int discards = 0;

private:
    void on_complete(WaitResult result) noexcept override { results.push_back(result); }
    void on_discard() noexcept override { ++discards; }
};

TEST(AsyncWaiter, IsAsSmallAsDocumented) {
    if (sizeof(void*) != 8) GTEST_SKIP() << "the sizes are those of 64-bit machines";

    EXPECT_LE(sizeof(Waiter), 48u);
    EXPECT_LE(sizeof(AsyncWaiter), 72u);
}

TEST(AsyncWaiter, IsEnqueuedWhenItsCheckHolds) {
    QueueExecutor queue;
    int cell = 0;
    Recorder recorder(queue);

    EXPECT_TRUE(recorder.enqueue(Word(cell).equals(0)));

    EXPECT_EQ(waiting_at(cell), 1u);
}

TEST(AsyncWaiter, IsNotEnqueuedWhenItsCheckFails) {
    QueueExecutor queue;
    int cell = 0;
    Recorder recorder(queue);

    EXPECT_FALSE(recorder.enqueue(Word(cell).equals(1)));

    EXPECT_EQ(waiting_at(cell), 0u);
}

TEST(AsyncWaiter, CompletesOnItsExecutorAndNotInsideNotify) {
    QueueExecutor queue;
    int cell = 0;
    Recorder recorder(queue);
    recorder.enqueue(Word(cell).equals(0));

    notify(Word(cell));
    const bool completed_in_notify = !recorder.results.empty();
    queue.run_all();

    EXPECT_FALSE(completed_in_notify);
    EXPECT_EQ(recorder.results, (std::vector{WaitResult::ok}));
}

TEST(AsyncWaiter, DequeuesWithoutACompletion) {
    QueueExecutor queue;
    int cell = 0;
    Recorder recorder(queue);
    recorder.enqueue(Word(cell).equals(0));

    EXPECT_TRUE(recorder.dequeue());

    EXPECT_EQ(queue.run_all(), 0u);
    EXPECT_EQ(notify(Word(cell)), 0u);
}

TEST(AsyncWaiter, DequeueFailsWhenItsCompletionIsPosted) {
    QueueExecutor queue;
    int cell = 0;
    Recorder recorder(queue);
    recorder.enqueue(Word(cell).equals(0));
    notify(Word(cell));

    EXPECT_FALSE(recorder.dequeue());

    queue.run_all();
    EXPECT_EQ(recorder.results, (std::vector{WaitResult::ok}));
}

TEST(AsyncWaiter, DequeueFailsWhenItIsNotQueued) {
    QueueExecutor queue;
    Recorder recorder(queue);

    EXPECT_FALSE(recorder.dequeue());
}

TEST(AsyncWaiter, FinishCompletesItOnceWithTheGivenResult) {
    QueueExecutor queue;
    int cell = 0;
    Recorder recorder(queue);
    recorder.enqueue(Word(cell).equals(0));

    EXPECT_TRUE(recorder.finish(WaitResult::timed_out));
    EXPECT_FALSE(recorder.finish(WaitResult::cancelled));
    queue.run_all();

    EXPECT_EQ(recorder.results, (std::vector{WaitResult::timed_out}));
}

TEST(AsyncWaiter, MayBeFinishedFromAnotherThread) {
    futon::EventLoop loop;
    int cell = 0;
    Recorder recorder(loop);
    recorder.enqueue(Word(cell).equals(0));

    std::thread([&] { recorder.finish(WaitResult::cancelled); }).join();
    loop.poll();

    EXPECT_EQ(recorder.results, (std::vector{WaitResult::cancelled}));
}

TEST(AsyncWaiter, IsDequeuedByItsDestructor) {
    QueueExecutor queue;
    int cell = 0;
    std::optional<Recorder> recorder(std::in_place, queue);
    recorder->enqueue(Word(cell).equals(0));

    recorder.reset();

    EXPECT_EQ(waiting_at(cell), 0u);
}

TEST(AsyncWaiter, IsDiscardedWhenItsExecutorEndsBeforeItsCompletion) {
    std::optional<futon::EventLoop> loop(std::in_place);
    int cell = 0;
    Recorder recorder(*loop);
    recorder.enqueue(Word(cell).equals(0));
    notify(Word(cell));

    loop.reset();

    EXPECT_EQ(recorder.discards, 1);
    EXPECT_TRUE(recorder.results.empty());
}

/// Enqueues itself again each time it is woken.
class RequeuingWaiter final : public AsyncWaiter {
public:
    RequeuingWaiter(futon::Executor& executor, Word<int> word) : AsyncWaiter(executor), word_(word) {
        enqueue(word_.equals(0));
    }

    int wakes = 0;

private:
    void on_complete(WaitResult) noexcept override {
        ++wakes;
        enqueue(word_.equals(0));
    }

    Word<int> word_;
};

TEST(AsyncWaiter, MayBeEnqueuedAgainInItsCompletion) {
    QueueExecutor queue;
    int cell = 0;
    RequeuingWaiter waiter(queue, Word(cell));

    for (int i = 0; i < 100; ++i) {
        EXPECT_EQ(notify(Word(cell)), 1u);
        queue.run_all();
    }

    EXPECT_EQ(waiter.wakes, 100);
}

TEST(AsyncWaiter, MayDestroyItselfInItsCompletion) {
    struct SelfDestroyingWaiter final : AsyncWaiter {
        SelfDestroyingWaiter(futon::Executor& executor, int& count) : AsyncWaiter(executor), destroyed(&count) {}
        ~SelfDestroyingWaiter() { ++*destroyed; }
        void on_complete(WaitResult) noexcept override { delete this; }
        int* destroyed;
    };
    QueueExecutor queue;
    int cell = 0;
    int destroyed = 0;
    (new SelfDestroyingWaiter(queue, destroyed))->enqueue(Word(cell).equals(0));

    notify(Word(cell));
    queue.run_all();

    EXPECT_EQ(destroyed, 1);
}

TEST(AsyncWaiter, SharesOneFifoQueueWithThreadsAndPromises) {
    futon::EventLoop loop;
    std::atomic<int> cell{0};
    const auto promise = futon::wait_async(cell, 0).promise();
    Recorder recorder(loop);
    recorder.enqueue(Word<int>(cell).equals(0));
    const std::jthread thread([&] { EXPECT_EQ(futon::wait(cell, 0), WaitResult::ok); });
    futon::test::until_waiting(cell, 3);

    EXPECT_EQ(futon::notify(cell, 2), 2u);
    loop.poll();

    EXPECT_TRUE(promise.is_settled());
    EXPECT_EQ(recorder.results.size(), 1u);
    EXPECT_EQ(futon::notify(cell), 1u);
}

/// Asks for a handoff.
class HandoffWaiter final : public Recorder {
public:
    using Recorder::Recorder;
    futon::core::Demand request() const noexcept override { return 7; }
};

TEST(AsyncWaiter, IsAskedAndHandedOffBetweenItsDequeueAndItsDelivery) {
    QueueExecutor queue;
    int cell = 0;
    HandoffWaiter waiter(queue);
    waiter.enqueue(Word(cell).equals(0));

    Waiter* dequeued = process_table().dequeue_first(&cell);
    const std::uint64_t request = dequeued->request().word;
    WaitTable::deliver(*dequeued, WakeToken::handed_off);
    queue.run_all();

    EXPECT_EQ(dequeued, &waiter);
    EXPECT_EQ(request, 7u);
    EXPECT_EQ(waiter.token(), WakeToken::handed_off);
    EXPECT_EQ(waiter.results, (std::vector{WaitResult::ok}));
}

}  // namespace
