// SPDX-License-Identifier: MIT
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include <futon/core/queue/wait_table.hpp>

#include "support/gtest.hpp"
#include "support/table_scene.hpp"

namespace {

using futon::WaitResult;
using futon::core::EnqueueResult;
using futon::core::everyone;
using futon::core::WaitTable;
using futon::core::WakeToken;
using futon::core::WakeVisitor;
using futon::tables::ProcessTable;
using futon::test::always;
using futon::test::CountingWaiter;
using futon::test::fresh_table;
using Decision = WakeVisitor::Decision;

/// Decides by a function of the request; gives tokens that count from 100; notes how it was called.
class RecordingVisitor final : public WakeVisitor {
public:
    explicit RecordingVisitor(std::function<Decision(std::uint64_t)> decide) : decide_(std::move(decide)) {}

    Decision decide(const futon::core::Waiter& waiter) noexcept override {
        decided.push_back(waiter.request().word);
        return decide_(waiter.request().word);
    }
    WakeToken take(const futon::core::Waiter& waiter) noexcept override {
        taken.push_back(waiter.request().word);
        return static_cast<WakeToken>(99 + taken.size());
    }
    void finish(bool queue_is_empty) noexcept override { finished.push_back(queue_is_empty); }

    std::vector<std::uint64_t> decided;
    std::vector<std::uint64_t> taken;
    std::vector<bool> finished;

private:
    std::function<Decision(std::uint64_t)> decide_;
};

/// A queue of waiters that ask for 0, 1, 2 and so on.
class WakeWhile : public testing::Test {
protected:
    ~WakeWhile() override {
        for (CountingWaiter& waiter : waiters) table->dequeue(waiter, WaitResult::cancelled);
    }

    void enqueue(std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            CountingWaiter& waiter = waiters.emplace_back(i);
            waiter.order = &order;
            table->enqueue(waiter, always(&word));
        }
    }

    std::vector<std::uint64_t> delivered() const {
        std::vector<std::uint64_t> requests;
        for (const CountingWaiter* waiter : order) requests.push_back(waiter->request().word);
        return requests;
    }

    ProcessTable* const table = fresh_table();
    int word = 0;
    std::deque<CountingWaiter> waiters;
    std::vector<CountingWaiter*> order;
};

using Requests = std::vector<std::uint64_t>;

TEST_F(WakeWhile, WakesThoseThatAreTakenInFifoOrder) {
    enqueue(4);
    RecordingVisitor visitor([](std::uint64_t) { return Decision::take; });

    EXPECT_EQ(table->wake_while(&word, visitor), 4u);

    EXPECT_EQ(delivered(), (Requests{0, 1, 2, 3}));
}

TEST_F(WakeWhile, DeliversEachWithTheTokenThatItWasGiven) {
    enqueue(3);
    RecordingVisitor visitor([](std::uint64_t) { return Decision::take; });

    table->wake_while(&word, visitor);

    for (std::size_t i = 0; i < waiters.size(); ++i) {
        EXPECT_EQ(waiters[i].token(), static_cast<WakeToken>(100 + i));
        EXPECT_EQ(waiters[i].result(), WaitResult::ok);
    }
}

TEST_F(WakeWhile, LeavesThoseThatAreSkippedInTheirPlaces) {
    enqueue(6);
    RecordingVisitor visitor([](std::uint64_t request) { return request % 2 == 0 ? Decision::skip : Decision::take; });

    EXPECT_EQ(table->wake_while(&word, visitor), 3u);
    EXPECT_EQ(table->notify(&word, everyone), 3u);

    EXPECT_EQ(delivered(), (Requests{1, 3, 5, 0, 2, 4}));
}

TEST_F(WakeWhile, EndsWhereTheVisitorStops) {
    enqueue(5);
    RecordingVisitor visitor([](std::uint64_t request) { return request == 2 ? Decision::stop : Decision::take; });

    EXPECT_EQ(table->wake_while(&word, visitor), 2u);
    EXPECT_EQ(visitor.decided, (Requests{0, 1, 2}));
    EXPECT_EQ(table->notify(&word, everyone), 3u);

    EXPECT_EQ(delivered(), (Requests{0, 1, 2, 3, 4}));
}

TEST_F(WakeWhile, TakesFromTheHeadTheMiddleAndTheTail) {
    for (const std::uint64_t taken : {0u, 2u, 4u}) {
        waiters.clear();
        order.clear();
        enqueue(5);
        RecordingVisitor visitor(
            [=](std::uint64_t request) { return request == taken ? Decision::take : Decision::skip; });

        EXPECT_EQ(table->wake_while(&word, visitor), 1u);
        EXPECT_EQ(table->notify(&word, everyone), 4u);

        Requests expected{taken};
        for (std::uint64_t i = 0; i < 5; ++i)
            if (i != taken) expected.push_back(i);
        EXPECT_EQ(delivered(), expected);
    }
}

TEST_F(WakeWhile, ShowsNothingOfAnEmptyQueue) {
    RecordingVisitor visitor([](std::uint64_t) { return Decision::take; });

    EXPECT_EQ(table->wake_while(&word, visitor), 0u);

    EXPECT_TRUE(visitor.decided.empty());
}

TEST_F(WakeWhile, FinishesOnceForAnEmptyQueue) {
    RecordingVisitor visitor([](std::uint64_t) { return Decision::take; });

    table->wake_while(&word, visitor);

    EXPECT_EQ(visitor.finished, (std::vector{true}));
}

TEST_F(WakeWhile, FinishesOnceWithAnEmptyQueueWhenAllAreTaken) {
    enqueue(3);
    RecordingVisitor visitor([](std::uint64_t) { return Decision::take; });

    table->wake_while(&word, visitor);

    EXPECT_EQ(visitor.finished, (std::vector{true}));
}

TEST_F(WakeWhile, FinishesOnceWithAQueueThatIsNotEmptyWhenOneIsSkipped) {
    enqueue(3);
    RecordingVisitor visitor([](std::uint64_t request) { return request == 1 ? Decision::skip : Decision::take; });

    table->wake_while(&word, visitor);

    EXPECT_EQ(visitor.finished, (std::vector{false}));
}

TEST_F(WakeWhile, FinishesOnceWhenTheVisitorStopsAtTheFirst) {
    enqueue(1);
    RecordingVisitor visitor([](std::uint64_t) { return Decision::stop; });

    EXPECT_EQ(table->wake_while(&word, visitor), 0u);

    EXPECT_EQ(visitor.finished, (std::vector{false}));
}

TEST_F(WakeWhile, SkipsNoMoreThanItsBound) {
    enqueue(WaitTable::max_skipped + 10);
    RecordingVisitor visitor([](std::uint64_t) { return Decision::skip; });

    EXPECT_EQ(table->wake_while(&word, visitor), 0u);

    EXPECT_EQ(visitor.decided.size(), WaitTable::max_skipped);
    EXPECT_EQ(table->count(&word), WaitTable::max_skipped + 10);
}

TEST_F(WakeWhile, DoesNotCountThoseItTakesAgainstItsBound) {
    enqueue(4 * WaitTable::max_skipped);
    RecordingVisitor visitor([](std::uint64_t) { return Decision::take; });

    EXPECT_EQ(table->wake_while(&word, visitor), 4 * WaitTable::max_skipped);
}

TEST_F(WakeWhile, TouchesNoOtherQueue) {
    enqueue(1);
    int other = 0;
    CountingWaiter elsewhere;
    table->enqueue(elsewhere, always(&other));
    RecordingVisitor visitor([](std::uint64_t) { return Decision::take; });

    table->wake_while(&word, visitor);

    EXPECT_EQ(elsewhere.deliveries, 0);
    EXPECT_TRUE(table->dequeue(elsewhere, WaitResult::cancelled));
}

TEST_F(WakeWhile, AWaiterMayBeEnqueuedAgainOnceDelivered) {
    enqueue(2);
    RecordingVisitor visitor([](std::uint64_t request) { return request == 0 ? Decision::take : Decision::skip; });
    table->wake_while(&word, visitor);

    EXPECT_EQ(table->enqueue(waiters[0], always(&word)), EnqueueResult::queued);

    table->notify(&word, everyone);
    EXPECT_EQ(delivered(), (Requests{0, 1, 0}));
}

TEST_F(WakeWhile, NotifyGivesNoToken) {
    enqueue(1);
    RecordingVisitor visitor([](std::uint64_t) { return Decision::take; });
    table->wake_while(&word, visitor);
    table->enqueue(waiters[0], always(&word));

    table->notify(&word, 1);

    EXPECT_EQ(waiters[0].token(), WakeToken::none);
}

}  // namespace
