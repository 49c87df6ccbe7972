// SPDX-License-Identifier: MIT
// A loop of Qt, while what begins a wait is refused memory. Events and timers of Qt need some, without which the program ends; and
// where Qt is refused memory for a connection, as of a loop or of `futon::qt::call_back`, it leaks a block of its own.
#include <futon/futon.hpp>
#include <futon/qt.hpp>

#include "adapters/qt/application.hpp"
#include "support/failing_allocations.hpp"
#include "support/gtest.hpp"
#include "support/refused_waits.hpp"
#include "support/waiting.hpp"

namespace {

using futon::AsyncLock;
using futon::test::Application;
using futon::test::await_it;
using futon::test::call_back_for_it;
using futon::test::Ends;
using futon::test::refuse_each_allocation;
using futon::test::succeeds;
using futon::test::waiting_at;

TEST(RefusedQt, LoopIsMadeOrNot) {
    Application application;
    constexpr std::ptrdiff_t kept_by_qt = 1;
    refuse_each_allocation(
        [] {
            succeeds([] { const futon::qt::Loop loop; });
            EXPECT_EQ(futon::Agent::current().executor(), nullptr);
        },
        kept_by_qt);
}

struct ALock : AsyncLock {
    auto waiting() { return locking(); }
    auto wait_async(futon::Limits limits = {}) { return scoped_lock_async(std::move(limits)); }
};

TEST(RefusedQt, WaitsGoOnOrAreNotBegun) {
    Application application;
    refuse_each_allocation([&] {
        const futon::qt::Loop loop;
        ALock lock;
        Ends ends;
        EXPECT_TRUE(lock.try_lock());
        int begun = 0;
        for (const auto begin : {+[](ALock&of, Ends&told) { static_cast<void>(await_it(of, {}, told)); },
                                 +[](ALock&of, Ends&told) { call_back_for_it(of, {}, told); }})
            for (int i = 0; i < 2; ++i) begun += succeeds([&] { begin(lock, ends); });
        lock.unlock();
        application.run_until([&] { return ends.all() == begun; });
        EXPECT_EQ(ends.ok, begun);
        EXPECT_EQ(waiting_at(lock), 0u);
        EXPECT_TRUE(lock.try_lock());
    });
}

}  // namespace
