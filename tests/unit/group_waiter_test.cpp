// SPDX-License-Identifier: MIT
#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include <futon/core/queue/wait_table.hpp>

#include "support/gtest.hpp"
#include "support/table_scene.hpp"

namespace {

using futon::WaitResult;
using futon::core::everyone;
using futon::core::WakeToken;
using futon::core::WakeVisitor;
using futon::tables::ProcessTable;
using futon::test::always;
using futon::test::CountingWaiter;
using futon::test::fresh_table;
using futon::test::GroupWaiter;

/// Two queues; in each a member of one group, and behind it a waiter of its own.
class GroupedWaiter : public testing::Test {
protected:
    GroupedWaiter() {
        table->enqueue(first, always(&words[0]));
        table->enqueue(second, always(&words[1]));
    }
    ~GroupedWaiter() override {
        for (GroupWaiter* member : {&first, &second}) table->dequeue(*member, WaitResult::cancelled);
        for (CountingWaiter& waiter : behind) table->dequeue(waiter, WaitResult::cancelled);
    }

    void enqueue_behind() {
        for (std::size_t i = 0; i < 2; ++i) table->enqueue(behind[i], always(&words[i]));
    }

    ProcessTable* const table = fresh_table();
    std::array<int, 2> words{};
    std::atomic<GroupWaiter*> winner{nullptr};
    GroupWaiter first{winner};
    GroupWaiter second{winner};
    std::array<CountingWaiter, 2> behind;
};

TEST_F(GroupedWaiter, IsClaimedWhenItIsNotified) {
    EXPECT_EQ(table->notify(&words[0], 1), 1u);

    EXPECT_EQ(winner, &first);
    EXPECT_EQ(first.deliveries, 1);
    EXPECT_EQ(first.result(), WaitResult::ok);
}

TEST_F(GroupedWaiter, OfAGroupThatIsOverIsNeitherCountedNorDelivered) {
    table->notify(&words[0], 1);

    EXPECT_EQ(table->notify(&words[1], everyone), 0u);

    EXPECT_EQ(second.deliveries, 0);
    EXPECT_EQ(table->count(&words[1]), 0u);
}

TEST_F(GroupedWaiter, OfAGroupThatIsOverLetsTheNextWaiterBeNotified) {
    enqueue_behind();
    table->notify(&words[0], 1);

    EXPECT_EQ(table->notify(&words[1], 1), 1u);

    EXPECT_EQ(behind[1].deliveries, 1);
}

TEST_F(GroupedWaiter, IsClaimedOnlyAsFarAsANotifyCounts) {
    table->dequeue(first, WaitResult::cancelled);
    table->enqueue(behind[0], always(&words[0]));
    table->enqueue(first, always(&words[0]));

    EXPECT_EQ(table->notify(&words[0], 1), 1u);

    EXPECT_EQ(winner, nullptr);
    EXPECT_TRUE(table->is_queued(first));
}

TEST_F(GroupedWaiter, OfAGroupThatIsOverIsPassedByDequeueFirst) {
    enqueue_behind();
    winner = &first;

    EXPECT_EQ(table->dequeue_first(&words[1]), &behind[1]);
}

TEST_F(GroupedWaiter, DequeueFirstReturnsNullWhenAllGroupsAreOver) {
    winner = &first;

    EXPECT_EQ(table->dequeue_first(&words[1]), nullptr);
    EXPECT_EQ(table->count(&words[1]), 0u);
}

TEST_F(GroupedWaiter, IsDequeuedByItsOwnerWhateverBecameOfTheGroup) {
    table->notify(&words[0], 1);

    EXPECT_TRUE(table->dequeue(second, WaitResult::cancelled));
    EXPECT_FALSE(table->dequeue(first, WaitResult::cancelled));
}

TEST_F(GroupedWaiter, IsNoLongerQueuedOnceItWasDropped) {
    table->notify(&words[0], 1);
    EXPECT_TRUE(table->is_queued(second));

    table->notify(&words[1], 1);

    EXPECT_FALSE(table->is_queued(second));
    EXPECT_FALSE(table->dequeue(second, WaitResult::cancelled));
}

TEST_F(GroupedWaiter, NeverEnqueuedIsNotQueued) {
    GroupWaiter idle{winner};

    EXPECT_FALSE(table->is_queued(idle));
    EXPECT_FALSE(table->dequeue(idle, WaitResult::cancelled));
}

TEST_F(GroupedWaiter, MayBeEnqueuedAgainOnceItsGroupIsReopened) {
    table->notify(&words[0], 1);
    table->notify(&words[1], 1);

    winner = nullptr;
    table->enqueue(second, always(&words[1]));

    EXPECT_EQ(table->notify(&words[1], 1), 1u);
    EXPECT_EQ(winner, &second);
}

TEST_F(GroupedWaiter, OfAGroupThatIsOverIsDroppedFromAnyPlaceOfAQueue) {
    winner = &first;  // over, for what follows
    for (std::size_t place = 0; place < 3; ++place) {
        int word = 0;
        std::array<CountingWaiter, 2> others;
        GroupWaiter member{winner};
        for (std::size_t i = 0, other = 0; i < 3; ++i) {
            if (i == place) {
                table->enqueue(member, always(&word));
            } else {
                table->enqueue(others[other++], always(&word));
            }
        }

        EXPECT_EQ(table->notify(&word, everyone), 2u);

        EXPECT_EQ(others[0].deliveries + others[1].deliveries, 2);
        EXPECT_EQ(member.deliveries, 0);
        EXPECT_EQ(table->count(&word), 0u);
    }
}

/// Takes all that it is shown.
class TakeAll final : public WakeVisitor {
public:
    Decision decide(const futon::core::Waiter&) noexcept override {
        ++decided;
        return Decision::take;
    }
    WakeToken take(const futon::core::Waiter&) noexcept override {
        ++taken;
        return WakeToken::none;
    }
    void finish(bool queue_is_empty) noexcept override { was_empty = queue_is_empty; }

    int decided = 0;
    int taken = 0;
    bool was_empty = false;
};

TEST_F(GroupedWaiter, OfAGroupThatIsOverIsDecidedOnButNotTakenByAWakeWhile) {
    enqueue_behind();
    winner = &first;
    TakeAll visitor;

    EXPECT_EQ(table->wake_while(&words[1], visitor), 1u);

    EXPECT_EQ(visitor.decided, 2);
    EXPECT_EQ(visitor.taken, 1);
    EXPECT_EQ(second.deliveries, 0);
}

TEST_F(GroupedWaiter, ThatWasDroppedLeavesAQueueThatAWakeWhileFinishesAsEmpty) {
    winner = &first;
    TakeAll visitor;

    EXPECT_EQ(table->wake_while(&words[1], visitor), 0u);

    EXPECT_TRUE(visitor.was_empty);
}

TEST_F(GroupedWaiter, IsClaimedForTheFirstOfTwoPlacesInOneQueue) {
    GroupWaiter again{winner};
    table->enqueue(again, always(&words[0]));

    EXPECT_EQ(table->notify(&words[0], everyone), 1u);

    EXPECT_EQ(winner, &first);
    EXPECT_EQ(again.deliveries, 0);
}

}  // namespace
