// SPDX-License-Identifier: MIT
// That what these tests stand on refuses what it says.
#include <new>
#include <vector>

#include "support/failing_allocations.hpp"
#include "support/gtest.hpp"

namespace {

using futon::test::AllocationRun;
using futon::test::NoAllocationFails;
using futon::test::refuse_each_allocation;
using futon::test::Refused;
using futon::test::succeeds;

/// By calls of the functions, for a compiler may leave a new-expression out whose memory is not used.
void allocate() {
    ::operator delete(::operator new(1));
}

TEST(FailingAllocations, EachIsRefusedInTurnThenAllFromEachOn) {
    std::vector<int> succeeded;
    succeeded.reserve(10);
    refuse_each_allocation([&] {
        int count = 0;
        for (int i = 0; i < 2; ++i) count += succeeds([] { allocate(); });
        succeeded.push_back(count);
    });
    EXPECT_EQ(succeeded, (std::vector<int>{2, 1, 1, 2, 0, 1, 2}));
}

TEST(FailingAllocations, OthersAreNotRefused) {
    const AllocationRun run(1, Refused::all_later);
    allocate();
    EXPECT_TRUE(succeeds([] {
        const NoAllocationFails here;
        allocate();
    }));
    EXPECT_FALSE(succeeds([] { allocate(); }));
    EXPECT_TRUE(run.has_refused());
}

TEST(FailingAllocations, WhatIsKeptIsCounted) {
    const AllocationRun run(AllocationRun::none, Refused::one);
    void* const kept = ::operator new(1);
    EXPECT_EQ(run.kept_blocks(), 1);
    ::operator delete(kept);
    EXPECT_EQ(run.kept_blocks(), 0);
}

}  // namespace
