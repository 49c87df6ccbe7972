// SPDX-License-Identifier: MIT
#include <stdexcept>

#include <futon/futon.hpp>

#include "buried.hpp"
#include "explore.hpp"
#include "wait_programs.hpp"

namespace {

using futon::Latch;
using futon::WaitResult;
using futon::core::process_table;
using futon::explorer::check;
using futon::explorer::Shared;
using futon::explorer::spawn;
using futon::test::ALatch;
using futon::test::Buried;
using futon::test::expect_holds;
using futon::test::expect_is_not_read_once_freed;
using futon::test::wait_twice;

TEST(ModelLatch, ShowsWhatCameBeforeEachCountDownOnAWeakMemory) {
    expect_holds("latch, two count downs, two waiters, weak", {.preemptions = 3, .stale_loads = 2}, [] {
        Latch latch(2);
        Shared messages[2];
        for (const int i : {0, 1})
            spawn(i == 0 ? "A" : "B", [&, i] {
                messages[i].store(1);
                latch.count_down();
            });
        for (int i = 0; i < 2; ++i)
            spawn("waiter", [&] {
                check(latch.wait() == WaitResult::ok, "it was opened");
                check(messages[0].load() + messages[1].load() == 2, "both messages are seen");
            });
        futon::explorer::join();
        check(latch.try_wait() && process_table().count(&latch) == 0, "open, and no waiter is queued");
    });
}

TEST(ModelLatch, ShowsWhatCameBeforeToATryOnAWeakMemory) {
    expect_holds("latch, two count downs, a try, weak", {.stale_loads = 2}, [] {
        Latch latch(2);
        Shared messages[2];
        for (const int i : {0, 1})
            spawn(i == 0 ? "A" : "B", [&, i] {
                messages[i].store(1);
                latch.count_down();
            });
        spawn("poll", [&] {
            if (latch.try_wait()) check(messages[0].load() + messages[1].load() == 2, "both messages are seen");
        });
        futon::explorer::join();
    });
}

TEST(ModelLatch, LetsAllGoThatArriveAndWaitOnAWeakMemory) {
    expect_holds("latch, three that arrive, a loop among them, weak", {.preemptions = 2, .stale_loads = 1}, [] {
        Latch latch(3);
        Shared messages[3];
        const auto see = [&](WaitResult result) {
            check(result == WaitResult::ok, "it was opened");
            check(messages[0].load() + messages[1].load() + messages[2].load() == 3, "all messages are seen");
        };
        for (const int i : {0, 1})
            spawn(i == 0 ? "A" : "B", [&, i] {
                messages[i].store(1);
                see(latch.arrive_and_wait());
            });
        spawn("loop", [&] {
            futon::EventLoop loop;
            auto arrive = [&]() -> futon::Promise<void> {
                messages[2].store(1);
                see(co_await latch.arrive_and_wait_async());
            };
            loop.run_until(arrive());
        });
        futon::explorer::join();
        check(process_table().count(&latch) == 0, "no waiter is queued");
    });
}

TEST(ModelLatch, TellsOneAtLeastOfThoseThatCountBelowZero) {
    expect_holds("latch, two count downs of one, a waiter", {}, [] {
        Latch latch(1);
        int thrown = 0;
        for (int i = 0; i < 2; ++i)
            spawn("count down", [&] {
                try {
                    latch.count_down();
                } catch (const std::logic_error&) {
                    ++thrown;
                }
            });
        spawn("waiter", [&] { check(latch.wait() == WaitResult::ok, "it was opened"); });
        futon::explorer::join();
        check(thrown == 1, "one is told");
        check(latch.try_wait() && process_table().count(&latch) == 0, "open, and no waiter is queued");
    });
}

TEST(ModelLatch, MayBeDestroyedByOneThatSeesItOpen) {
    expect_holds("latch, two count downs, its waiter destroys it", {}, [] {
        Buried<Latch> latch(2u);
        for (int i = 0; i < 2; ++i) spawn("count down", [&] { latch->count_down(); });
        spawn("owner", [&] {
            wait_twice(*latch);
            latch.bury();
        });
        futon::explorer::join();
        latch.check_untouched();
    });
}

TEST(ModelLatch, IsNotReadOnceItsWaiterHasFreedIt) {
    expect_is_not_read_once_freed<ALatch>("latch, its waiter frees it");
}

TEST(ModelLatch, MayBeDestroyedByAWaiterWhileTheLastArrivalReturns) {
    expect_holds("latch, one that arrives and waits, its owner destroys it", {}, [] {
        Buried<Latch> latch(1u);
        spawn("last", [&] { check(latch->arrive_and_wait() == WaitResult::ok, "it has opened it"); });
        spawn("owner", [&] {
            wait_twice(*latch);
            latch.bury();
        });
        futon::explorer::join();
        latch.check_untouched();
    });
}

}  // namespace
