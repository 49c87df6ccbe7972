// SPDX-License-Identifier: MIT
#include <cstdint>

#include <futon/core/atomic.hpp>
#include <futon/core/queue/blocked_waiter.hpp>
#include <futon/core/queue/private_table.hpp>

#include "explore.hpp"

namespace {

using futon::core::Atomic;
using futon::core::BlockedWaiter;
using futon::core::EnqueueResult;
using futon::core::PrivateTable;
using futon::explorer::spawn;
using futon::test::expect_holds;

/// Each schedule makes a table and destroys it.
void a_private_table_loses_no_wake_up() {
    PrivateTable table;
    Atomic<int> word{0};
    futon::explorer::name(word, "word");
    spawn("waiter", [&] {
        BlockedWaiter waiter;
        const futon::core::WaitCheck is_zero{&word, 0, [](void* address, std::uint64_t) noexcept {
                                                 return static_cast<Atomic<int>*>(address)->load() == 0;
                                             }};
        if (waiter.enqueue(table, is_zero) == EnqueueResult::queued) waiter.park();
    });
    spawn("notifier", [&] {
        word.store(1);
        table.notify(&word, 1);
    });
    futon::explorer::join();
    futon::explorer::check(table.count(&word) == 0, "no waiter is left");
}

TEST(ModelPrivateTable, LosesNoWakeUp) {
    expect_holds("a private table loses no wake-up", {.preemptions = 2, .stale_loads = 1},
                 a_private_table_loses_no_wake_up);
}

}  // namespace
