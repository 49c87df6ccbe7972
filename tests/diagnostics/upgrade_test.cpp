// SPDX-License-Identifier: MIT
// Upgrades of a SharedLock: what they wait for, and where they are shown.
#include <atomic>
#include <latch>
#include <sstream>
#include <string>
#include <thread>

#include <futon/diagnostics.hpp>
#include <futon/futon.hpp>

#include "reports.hpp"
#include "support/waiting.hpp"

namespace {

using futon::AsyncLock;
using futon::SharedLock;
using futon::diagnostics::DeadlockFound;
using futon::diagnostics::What;
using futon::test::until;
using futon::test::until_waiting;

using Upgrades = futon::test::Reports;

TEST_F(Upgrades, WaitForOnesOwnReader) {
    SharedLock table;
    const auto reader = table.scoped_lock_shared();
    auto upgradeable = table.scoped_lock_upgradeable();

    EXPECT_THROW(static_cast<void>(upgradeable.upgrade()), DeadlockFound);

    EXPECT_NE(text().find("a caller waits for what it holds itself"), std::string::npos) << text();
    EXPECT_NE(text().find("waits in futon::SharedLock::upgrade for SharedLock"), std::string::npos) << text();
}

TEST_F(Upgrades, WaitForAReaderThatWaits) {
    SharedLock table;
    AsyncLock ledger;
    auto upgradeable = table.scoped_lock_upgradeable();
    std::jthread thread;
    {
        const auto hold = ledger.scoped_lock();
        thread = std::jthread([&] {
            const auto reader = table.scoped_lock_shared();
            const auto inner = ledger.scoped_lock();
        });
        until_waiting(ledger, 1);
        EXPECT_THROW(static_cast<void>(upgradeable.upgrade()), DeadlockFound);
    }
    thread.join();

    EXPECT_NE(text().find("a deadlock of 2 callers"), std::string::npos) << text();
}

/// What it holds itself is upgradeable: that is no circle.
TEST_F(Upgrades, AreShownAtTheirLock) {
    SharedLock table;
    futon::name(table, "table");
    std::string dumped;
    auto upgradeable = table.scoped_lock_upgradeable();
    std::latch reads(1);
    std::atomic<bool> has_failed{false};
    std::jthread thread([&] {
        const auto reader = table.scoped_lock_shared();
        reads.count_down();
        until([&] {
            std::ostringstream out;
            futon::diagnostics::dump(out);
            dumped = out.str();
            return has_failed || dumped.find("in futon::SharedLock::upgrade") != std::string::npos;
        });
    });
    reads.wait();
    EXPECT_NO_THROW(static_cast<void>(upgradeable.upgrade()));
    has_failed = count(What::deadlock) != 0;
    thread.join();

    EXPECT_EQ(dumped.find("\"table\""), dumped.rfind("\"table\"")) << dumped;
    EXPECT_EQ(dumped.find("held by none"), std::string::npos) << dumped;
    EXPECT_EQ(count(What::deadlock), 0U) << text();
}

}  // namespace
