// SPDX-License-Identifier: MIT
// A table that cannot be made throws, and has begun nothing.
#include <cstdint>

#include <futon/core/queue/blocked_waiter.hpp>
#include <futon/core/queue/private_table.hpp>

#include "support/failing_allocations.hpp"
#include "support/gtest.hpp"

namespace {

using futon::core::BlockedWaiter;
using futon::core::PrivateTable;
using futon::test::refuse_each_allocation;
using futon::test::succeeds;

TEST(WithoutMemory, APrivateTableIsMadeOrNot) {
    refuse_each_allocation([] {
        (void)succeeds([] {
            PrivateTable table;
            BlockedWaiter waiter;
            waiter.enqueue(table, {&waiter, 0, [](void*, std::uint64_t) noexcept { return true; }});
            EXPECT_EQ(table.notify(&waiter, 1), 1u);
            waiter.park();
        });
    });
}

}  // namespace
