// SPDX-License-Identifier: MIT
#include <atomic>
#include <optional>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <futon/futon.hpp>

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
using futon::test::QueueExecutor;
using futon::test::waiting_at;

/// Writes down what it is told.
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

TEST(AsyncWaiter, IsAsSmallAsItSays) {
    if (sizeof(void*) != 8) GTEST_SKIP() << "the sizes are those of 64-bit machines";

    EXPECT_LE(sizeof(Waiter), 48u);
    EXPECT_LE(sizeof(AsyncWaiter), 72u);
}

TEST(AsyncWaiter, JoinsIfItsConditionHolds) {
    QueueExecutor queue;
    int cell = 0;
    Recorder recorder(queue);

    EXPECT_TRUE(recorder.enqueue(Word(cell).equals(0)));

    EXPECT_EQ(waiting_at(cell), 1u);
}

TEST(AsyncWaiter, DoesNotJoinOtherwise) {
    QueueExecutor queue;
    int cell = 0;
    Recorder recorder(queue);

    EXPECT_FALSE(recorder.enqueue(Word(cell).equals(1)));

    EXPECT_EQ(waiting_at(cell), 0u);
}

TEST(AsyncWaiter, CompletesLaterOnItsExecutor) {
    QueueExecutor queue;
    int cell = 0;
    Recorder recorder(queue);
    recorder.enqueue(Word(cell).equals(0));

    notify(Word(cell));
    const bool completed_inside = !recorder.results.empty();
    queue.run_all();

    EXPECT_FALSE(completed_inside);
    EXPECT_EQ(recorder.results, (std::vector{WaitResult::ok}));
}

TEST(AsyncWaiter, LeavesWithoutACompletion) {
    QueueExecutor queue;
    int cell = 0;
    Recorder recorder(queue);
    recorder.enqueue(Word(cell).equals(0));

    EXPECT_TRUE(recorder.dequeue());

    EXPECT_EQ(queue.run_all(), 0u);
    EXPECT_EQ(notify(Word(cell)), 0u);
}

TEST(AsyncWaiter, DoesNotLeaveWhenItsCompletionIsOnItsWay) {
    QueueExecutor queue;
    int cell = 0;
    Recorder recorder(queue);
    recorder.enqueue(Word(cell).equals(0));
    notify(Word(cell));

    EXPECT_FALSE(recorder.dequeue());

    queue.run_all();
    EXPECT_EQ(recorder.results, (std::vector{WaitResult::ok}));
}

TEST(AsyncWaiter, DoesNotLeaveWhenItIsIdle) {
    QueueExecutor queue;
    Recorder recorder(queue);

    EXPECT_FALSE(recorder.dequeue());
}

TEST(AsyncWaiter, FinishesWithACompletion) {
    QueueExecutor queue;
    int cell = 0;
    Recorder recorder(queue);
    recorder.enqueue(Word(cell).equals(0));

    EXPECT_TRUE(recorder.finish(WaitResult::timed_out));
    EXPECT_FALSE(recorder.finish(WaitResult::cancelled));
    queue.run_all();

    EXPECT_EQ(recorder.results, (std::vector{WaitResult::timed_out}));
}

TEST(AsyncWaiter, FinishesFromAnotherThread) {
    futon::EventLoop loop;
    int cell = 0;
    Recorder recorder(loop);
    recorder.enqueue(Word(cell).equals(0));

    std::thread([&] { recorder.finish(WaitResult::cancelled); }).join();
    loop.poll();

    EXPECT_EQ(recorder.results, (std::vector{WaitResult::cancelled}));
}

TEST(AsyncWaiter, LeavesTheLineWhenDestroyed) {
    QueueExecutor queue;
    int cell = 0;
    std::optional<Recorder> recorder(std::in_place, queue);
    recorder->enqueue(Word(cell).equals(0));

    recorder.reset();

    EXPECT_EQ(waiting_at(cell), 0u);
}

TEST(AsyncWaiter, IsToldWhenItsExecutorEndsFirst) {
    std::optional<futon::EventLoop> loop(std::in_place);
    int cell = 0;
    Recorder recorder(*loop);
    recorder.enqueue(Word(cell).equals(0));
    notify(Word(cell));

    loop.reset();

    EXPECT_EQ(recorder.discards, 1);
    EXPECT_TRUE(recorder.results.empty());
}

/// Joins again each time it is woken.
class Again final : public AsyncWaiter {
public:
    Again(futon::Executor& executor, Word<int> word) : AsyncWaiter(executor), word_(word) { enqueue(word_.equals(0)); }

    int wakes = 0;

private:
    void on_complete(WaitResult) noexcept override {
        ++wakes;
        enqueue(word_.equals(0));
    }

    Word<int> word_;
};

TEST(AsyncWaiter, MayJoinAgainInItsCompletion) {
    QueueExecutor queue;
    int cell = 0;
    Again again(queue, Word(cell));

    for (int i = 0; i < 100; ++i) {
        EXPECT_EQ(notify(Word(cell)), 1u);
        queue.run_all();
    }

    EXPECT_EQ(again.wakes, 100);
}

TEST(AsyncWaiter, MayDestroyItselfInItsCompletion) {
    struct Fleeting final : AsyncWaiter {
        Fleeting(futon::Executor& executor, int& count) : AsyncWaiter(executor), ends(&count) {}
        ~Fleeting() { ++*ends; }
        void on_complete(WaitResult) noexcept override { delete this; }
        int* ends;
    };
    QueueExecutor queue;
    int cell = 0;
    int ends = 0;
    (new Fleeting(queue, ends))->enqueue(Word(cell).equals(0));

    notify(Word(cell));
    queue.run_all();

    EXPECT_EQ(ends, 1);
}

TEST(AsyncWaiter, StandsInOneLineWithThreadsAndPromises) {
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

/// Asks to be given what it waits for.
class Heir final : public Recorder {
public:
    using Recorder::Recorder;
    bool wants_grant() const noexcept override { return true; }
};

TEST(AsyncWaiter, CanBeGrantedWhatItWaitsForBetweenTakingAndDelivery) {
    QueueExecutor queue;
    int cell = 0;
    Heir heir(queue);
    heir.enqueue(Word(cell).equals(0));

    Waiter* taken = process_table().dequeue_first(&cell);
    const bool wants = taken->wants_grant();
    taken->is_granted = true;
    WaitTable::deliver(*taken);
    queue.run_all();

    EXPECT_EQ(taken, &heir);
    EXPECT_TRUE(wants);
    EXPECT_TRUE(heir.is_granted);
    EXPECT_EQ(heir.results, (std::vector{WaitResult::ok}));
}

}  // namespace
