// SPDX-License-Identifier: MIT
#include <futon/sync/semaphore.hpp>

#include <futon/futon.hpp>

#include "explore.hpp"

namespace {

using namespace std::chrono_literals;
using futon::Fairness;
using futon::Semaphore;
using futon::WaitResult;
using futon::explorer::check;
using futon::explorer::spawn;
using futon::test::expect_holds;

void check_idle(Semaphore& semaphore, std::uint32_t permits) {
    check(semaphore.available() == permits, "no permit is lost, none is made");
    check(futon::core::process_table().count(&semaphore) == 0, "no waiter is queued");
    check(permits == 0 || semaphore.try_acquire(permits), "[has-waiters] the permits can be had in the end");
}

TEST(ModelSemaphore, ReleasesServeABigAndASmallRequest) {
    for (const Fairness fairness : futon::test::fairnesses)
        expect_holds("acquire 2, acquire 1, two releases", {.preemptions = 3, .clock_leaps = 1}, [fairness] {
            Semaphore semaphore(0, fairness);
            spawn("two", [&] { semaphore.acquire(2); });
            spawn("one", [&] { semaphore.acquire(); });
            spawn("releaser", [&] {
                semaphore.release();
                semaphore.release(3);
            });
            futon::explorer::join();
            check_idle(semaphore, 1);
        });
}

TEST(ModelSemaphore, OneReleaseServesAllThatItCan) {
    for (const Fairness fairness : futon::test::fairnesses)
        expect_holds("three that acquire, one release of 3", {.preemptions = 2, .clock_leaps = 1}, [fairness] {
            Semaphore semaphore(0, fairness);
            for (const char* name : {"A", "B", "C"})
                spawn(name, [&] {
                    semaphore.acquire();
                    semaphore.release();
                });
            semaphore.release(2);
            spawn("releaser", [&] { semaphore.release(1); });
            futon::explorer::join();
            check_idle(semaphore, 3);
        });
}

TEST(ModelSemaphore, ABigRequestThatGivesUpHoldsBackNoSmallOne) {
    for (const Fairness fairness : futon::test::fairnesses)
        expect_holds("acquire 2 with a deadline, acquire 1", {.preemptions = 3, .clock_leaps = 1}, [fairness] {
            Semaphore semaphore(1, fairness);
            spawn("big", [&] { check(semaphore.acquire(2, 1us) == WaitResult::timed_out, "there never were two"); });
            spawn("small", [&] { semaphore.acquire(); });
            futon::explorer::join();
            semaphore.release();
            check_idle(semaphore, 1);
        });
}

TEST(ModelSemaphore, AReleaseIsNotLostBetweenAPasserByAndOneThatGivesUp) {
    for (const Fairness fairness : futon::test::fairnesses)
        expect_holds("a deadline, a waiter, a passer-by", {.preemptions = 2, .clock_leaps = 1}, [fairness] {
            Semaphore semaphore(0, fairness);
            spawn("impatient", [&] {
                if (semaphore.acquire(1, 1us) == WaitResult::ok) semaphore.release();
            });
            spawn("waiter", [&] {
                semaphore.acquire();
                semaphore.release();
            });
            spawn("passer-by", [&] {
                semaphore.release();
                if (semaphore.try_acquire()) semaphore.release();
            });
            futon::explorer::join();
            check_idle(semaphore, 1);
        });
}

TEST(ModelSemaphore, WhatIsKeptForABigRequestServesASmallOneThatWasWokenBefore) {
    for (const Fairness fairness : futon::test::fairnesses)
        expect_holds("acquire 1, acquire 2, a passer-by, releases", {.preemptions = 2, .clock_leaps = 2}, [fairness] {
            Semaphore semaphore(0, fairness);
            spawn("small", [&] { semaphore.acquire(); });
            spawn("big", [&] { semaphore.acquire(2); });
            spawn("passer-by", [&] {
                semaphore.release();
                if (semaphore.try_acquire()) semaphore.release();
                semaphore.release(2);
            });
            futon::explorer::join();
            check_idle(semaphore, 0);
        });
}

TEST(ModelSemaphore, AWokenWaiterThatIsRefusedPassesOn) {
    for (const Fairness fairness : futon::test::fairnesses)
        expect_holds("a task that serves acquire 2, a passer-by", {.preemptions = 2, .clock_leaps = 1}, [fairness] {
            Semaphore semaphore(0, fairness);
            futon::EventLoop loop(futon::CanBlock::yes);
            auto small = futon::promise_of(semaphore.acquiring());
            // The big request is the later one also when both are enqueued again.
            futon::explorer::sleep_until("sleep", futon::explorer::virtual_now() + 1us);
            spawn("big", [&] { semaphore.acquire(2); });
            spawn("passer-by", [&] {
                semaphore.release();
                // It may close the queue for the big request, and no later release serves the small one.
                if (semaphore.try_acquire()) semaphore.release();
            });
            check(loop.run_until(small) == WaitResult::ok, "the small request is the first in the queue");
            semaphore.release(2);
            futon::explorer::join();
            check_idle(semaphore, 0);
        });
}

TEST(ModelSemaphore, ASelectLosesNoPermit) {
    for (const Fairness fairness : futon::test::fairnesses)
        expect_holds("a select of two semaphores, another waiter", {.preemptions = 2}, [fairness] {
            Semaphore left(0, fairness);
            Semaphore right(0, fairness);
            spawn("select", [&] { (void)futon::select(left.acquiring(), right.acquiring()); });
            spawn("releaser", [&] {
                left.release();
                right.release();
                left.release();
            });
            spawn("other", [&] { left.acquire(); });
            futon::explorer::join();
            check(left.available() + right.available() == 1, "no permit is lost, none is made");
        });
}

TEST(ModelSemaphore, AThreadDoesNotWaitForALoopThatDoesNotRun) {
    for (const Fairness fairness : futon::test::fairnesses)
        expect_holds("a loop that does not run, two threads", {.preemptions = 2, .clock_leaps = 1}, [fairness] {
            Semaphore semaphore(0, fairness);
            futon::EventLoop loop(futon::CanBlock::yes);
            auto promise = futon::promise_of(semaphore.acquiring());
            spawn("releaser", [&] { semaphore.release(); });
            for (const char* name : {"A", "B"})
                spawn(name, [&] {
                    semaphore.acquire();
                    semaphore.release();
                });
            futon::explorer::join();
            check(loop.run_until(promise) == WaitResult::ok, "the task keeps its place");
            semaphore.release();
            check_idle(semaphore, 1);
        });
}

TEST(ModelSemaphore, ALoopThatEndsGivesBackWhatItWasOffered) {
    for (const Fairness fairness : futon::test::fairnesses)
        expect_holds("a loop that ends, a thread", {.preemptions = 2, .clock_leaps = 1}, [fairness] {
            Semaphore semaphore(0, fairness);
            spawn("loop", [&] {
                futon::EventLoop loop;
                auto one = futon::promise_of(semaphore.scoped_acquiring());
                auto two = futon::promise_of(semaphore.scoped_acquiring(2));
                loop.poll();
            });
            spawn("releaser", [&] { semaphore.release(2); });
            spawn("thread", [&] {
                semaphore.acquire();
                semaphore.release();
            });
            futon::explorer::join();
            check_idle(semaphore, 2);
        });
}

TEST(ModelSemaphore, TheWaiterMayDestroyItOnceItHasAcquired) {
    for (const Fairness fairness : futon::test::fairnesses)
        expect_holds("a semaphore that its waiter destroys", {.preemptions = 3, .clock_leaps = 1}, [fairness] {
            auto* semaphore = new Semaphore(0, fairness);
            spawn("releaser", [=] { semaphore->release(2); });
            spawn("waiter", [=] {
                if (semaphore->acquire(2, 1us) != WaitResult::ok) semaphore->acquire(2);
                delete semaphore;
            });
            futon::explorer::join();
        });
}

TEST(ModelSemaphore, AnAcquisitionSeesWhatCameBeforeTheReleaseOnAWeakMemory) {
    expect_holds("a message by a semaphore, weak", {.preemptions = 2, .stale_loads = 1}, [] {
        Semaphore semaphore;
        futon::explorer::Shared message;
        spawn("writer", [&] {
            message.store(1);
            semaphore.release();
        });
        spawn("reader", [&] {
            semaphore.acquire();
            check(message.load() == 1, "the message is seen");
        });
        spawn("passer-by", [&] {
            if (!semaphore.try_acquire()) return;
            check(message.load() == 1, "the message is seen");
            semaphore.release();
        });
        futon::explorer::join();
    });
}

TEST(ModelSemaphore, WhatIsOfferedIsThere) {
    for (const Fairness fairness : futon::test::fairnesses)
        expect_holds("a task that wants two, a passer-by, a thread", {.preemptions = 2, .clock_leaps = 2}, [fairness] {
            Semaphore semaphore(1, fairness);
            futon::EventLoop loop(futon::CanBlock::yes);
            auto promise = futon::promise_of(semaphore.acquiring(2));
            spawn("releaser", [&] { semaphore.release(); });
            spawn("passer-by", [&] {
                if (semaphore.try_acquire()) semaphore.release();
            });
            futon::explorer::join();
            check(loop.run_until(promise) == WaitResult::ok, "the task gets both");
            check_idle(semaphore, 0);
        });
}

TEST(ModelSemaphore, AThreadThatCannotUseAnOfferThatHasExpiredPassesItOn) {
    for (const Fairness fairness : futon::test::fairnesses)
        expect_holds("an offer of one, a thread that wants two", {.preemptions = 1, .clock_leaps = 3}, [fairness] {
            Semaphore semaphore(0, fairness);
            futon::EventLoop loop(futon::CanBlock::yes);
            auto promise = futon::promise_of(semaphore.acquiring());
            spawn("two", [&] {
                semaphore.acquire(2);
                semaphore.release(2);
            });
            spawn("one", [&] {
                semaphore.acquire();
                semaphore.release();
            });
            semaphore.release();
            semaphore.release();
            futon::explorer::join();
            check(loop.run_until(promise) == WaitResult::ok, "the task gets its permit");
            check_idle(semaphore, 1);
        });
}

}  // namespace
