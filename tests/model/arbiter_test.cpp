// SPDX-License-Identifier: MIT
#include <futon/core/operation/arbiter.hpp>

#include <chrono>
#include <utility>
#include <variant>

#include <futon/core.hpp>
#include <futon/futon.hpp>

#include "../examples/fair_semaphore.hpp"
#include "explore.hpp"

namespace {

using namespace std::chrono_literals;
namespace core = futon::core;
using example::FairSemaphore;
using futon::Fairness;
using futon::explorer::check;
using futon::explorer::spawn;
using futon::test::expect_holds;

bool acquire(FairSemaphore& semaphore, std::uint32_t count = 1, futon::Limits limit = {}) {
    return core::block(semaphore.acquiring(count), limit).release() != nullptr;
}

void acquire_and_release(FairSemaphore& semaphore, std::uint32_t count = 1) {
    acquire(semaphore, count);
    semaphore.release(count);
}

futon::Promise<void> take_and_release(FairSemaphore& semaphore) {
    const FairSemaphore::Permits permits = co_await core::await(semaphore.acquiring());
}

void check_idle(FairSemaphore& semaphore, std::uint32_t permits) {
    check(semaphore.available() == permits, "no permit is lost, none is made");
    check(core::process_table().count(semaphore.acquiring().key()) == 0, "no waiter is queued");
    check(permits == 0 || semaphore.try_acquire(permits), "[has-waiters] the permits can be had in the end");
}

TEST(ModelArbiter, ReleasesServeABigAndASmallRequest) {
    for (const Fairness fairness : futon::test::fairnesses)
        expect_holds("acquire 2, acquire 1, two releases", {.preemptions = 3, .clock_leaps = 1}, [fairness] {
            FairSemaphore semaphore(0, fairness);
            spawn("two", [&] { acquire(semaphore, 2); });
            spawn("one", [&] { acquire(semaphore); });
            spawn("releaser", [&] {
                semaphore.release();
                semaphore.release(3);
            });
            futon::explorer::join();
            check_idle(semaphore, 1);
        });
}

TEST(ModelArbiter, OneReleaseServesAllThatItCan) {
    for (const Fairness fairness : futon::test::fairnesses)
        expect_holds("three that acquire, one release of 3", {.preemptions = 2, .clock_leaps = 1}, [fairness] {
            FairSemaphore semaphore(0, fairness);
            for (const char* name : {"A", "B", "C"}) spawn(name, [&] { acquire_and_release(semaphore); });
            semaphore.release(2);
            spawn("releaser", [&] { semaphore.release(1); });
            futon::explorer::join();
            check_idle(semaphore, 3);
        });
}

TEST(ModelArbiter, ABigRequestThatGivesUpHoldsBackNoSmallOne) {
    for (const Fairness fairness : futon::test::fairnesses)
        expect_holds("acquire 2 with a deadline, acquire 1", {.preemptions = 3, .clock_leaps = 1}, [fairness] {
            FairSemaphore semaphore(1, fairness);
            spawn("big", [&] { check(!acquire(semaphore, 2, 1us), "there never were two"); });
            spawn("small", [&] { acquire(semaphore); });
            futon::explorer::join();
            semaphore.release();
            check_idle(semaphore, 1);
        });
}

TEST(ModelArbiter, AReleaseIsNotLostBetweenAPasserByAndOneThatGivesUp) {
    for (const Fairness fairness : futon::test::fairnesses)
        expect_holds("a deadline, a waiter, a passer-by", {.preemptions = 2, .clock_leaps = 1}, [fairness] {
            FairSemaphore semaphore(0, fairness);
            spawn("impatient", [&] {
                if (acquire(semaphore, 1, 1us)) semaphore.release();
            });
            spawn("waiter", [&] { acquire_and_release(semaphore); });
            spawn("passer-by", [&] {
                semaphore.release();
                if (semaphore.try_acquire()) semaphore.release();
            });
            futon::explorer::join();
            check_idle(semaphore, 1);
        });
}

TEST(ModelArbiter, WhatIsKeptForABigRequestServesASmallOneThatWasWokenBefore) {
    for (const Fairness fairness : futon::test::fairnesses)
        expect_holds("acquire 1, acquire 2, a passer-by, releases", {.preemptions = 2, .clock_leaps = 2}, [fairness] {
            FairSemaphore semaphore(0, fairness);
            spawn("small", [&] { acquire(semaphore); });
            spawn("big", [&] { acquire(semaphore, 2); });
            spawn("passer-by", [&] {
                semaphore.release();
                if (semaphore.try_acquire()) semaphore.release();
                semaphore.release(2);
            });
            futon::explorer::join();
            check_idle(semaphore, 0);
        });
}

TEST(ModelArbiter, ASelectLosesNoPermit) {
    for (const Fairness fairness : futon::test::fairnesses)
        expect_holds("a select of two semaphores, another waiter", {.preemptions = 2}, [fairness] {
            FairSemaphore left(0, fairness);
            FairSemaphore right(0, fairness);
            spawn("select", [&] {
                auto chosen = futon::select(left.acquiring(), right.acquiring());
                std::visit([](auto& permits) { (void)permits.release(); }, chosen);
            });
            spawn("releaser", [&] {
                left.release();
                right.release();
                left.release();
            });
            spawn("other", [&] { acquire(left); });
            futon::explorer::join();
            check(left.available() + right.available() == 1, "no permit is lost, none is made");
        });
}

TEST(ModelArbiter, AThreadDoesNotWaitForALoopThatDoesNotRun) {
    for (const Fairness fairness : futon::test::fairnesses)
        expect_holds("a loop that does not run, two threads", {.preemptions = 2, .clock_leaps = 1, .early_ticks = 1},
                     [fairness] {
                         FairSemaphore semaphore(0, fairness);
                         futon::EventLoop loop(futon::CanBlock::yes);
                         auto promise = core::promise_of(semaphore.acquiring());
                         spawn("releaser", [&] { semaphore.release(); });
                         for (const char* name : {"A", "B"}) spawn(name, [&] { acquire_and_release(semaphore); });
                         futon::explorer::join();
                         check(loop.run_until(std::move(promise)) != nullptr, "the task keeps its place");
                         check_idle(semaphore, 1);
                     });
}

TEST(ModelArbiter, AKeeperThatSleepsIsWokenForTheNextQueue) {
    expect_holds("a loop that does not run, a thread, once more later", {.preemptions = 1}, [] {
        FairSemaphore semaphore(0);
        futon::EventLoop loop(futon::CanBlock::yes);
        for (int round = 0; round < 2; ++round) {
            auto promise = core::promise_of(semaphore.acquiring());
            spawn("releaser", [&] { semaphore.release(); });
            spawn("thread", [&] { acquire_and_release(semaphore); });
            futon::explorer::join();
            check(loop.run_until(std::move(promise)).release() != nullptr, "the task keeps its place");
            futon::explorer::sleep_until("a while", futon::explorer::virtual_now() + 100ms);
        }
        check_idle(semaphore, 0);
    });
}

TEST(ModelArbiter, ALoopThatRunsDoesNotWaitForOneThatDoesNot) {
    for (const Fairness fairness : futon::test::fairnesses)
        expect_holds("two tasks of a loop that does not run, one that does", {.preemptions = 2, .early_ticks = 2},
                     [fairness] {
                         FairSemaphore semaphore(0, fairness);
                         futon::EventLoop dead(futon::CanBlock::yes);
                         auto first = take_and_release(semaphore);
                         auto second = take_and_release(semaphore);
                         spawn("releaser", [&] { semaphore.release(); });
                         spawn("loop", [&] {
                             futon::EventLoop loop;
                             loop.run_until(core::promise_of(semaphore.acquiring()));
                         });
                         futon::explorer::join();
                         dead.run_until(first);
                         dead.run_until(second);
                         check_idle(semaphore, 1);
                     });
}

TEST(ModelArbiter, ATaskThatComesAsItsOfferExpiresIsServedAllTheSame) {
    for (const Fairness fairness : futon::test::fairnesses)
        expect_holds("a loop, a thread, the keeper", {.preemptions = 2, .clock_leaps = 1, .early_ticks = 2},
                     [fairness] {
                         FairSemaphore semaphore(0, fairness);
                         spawn("loop", [&] {
                             futon::EventLoop loop;
                             auto promise = core::promise_of(semaphore.acquiring());
                             loop.run_until(std::move(promise));
                         });
                         spawn("thread", [&] { acquire_and_release(semaphore); });
                         semaphore.release();
                         futon::explorer::join();
                         check_idle(semaphore, 1);
                     });
}

TEST(ModelArbiter, ALoopThatEndsGivesBackWhatItWasOffered) {
    for (const Fairness fairness : futon::test::fairnesses)
        expect_holds("a loop that ends, a thread", {.preemptions = 2, .early_ticks = 1}, [fairness] {
            FairSemaphore semaphore(0, fairness);
            spawn("loop", [&] {
                futon::EventLoop loop;
                auto one = core::promise_of(semaphore.acquiring());
                auto two = core::promise_of(semaphore.acquiring(2));
                loop.poll();
            });
            spawn("releaser", [&] { semaphore.release(2); });
            spawn("thread", [&] { acquire_and_release(semaphore); });
            futon::explorer::join();
            check_idle(semaphore, 2);
        });
}

TEST(ModelArbiter, ATaskThatGivesUpHoldsBackNoOne) {
    for (const Fairness fairness : futon::test::fairnesses)
        expect_holds("a task with a deadline, a thread", {.preemptions = 2, .clock_leaps = 1, .early_ticks = 2},
                     [fairness] {
                         FairSemaphore semaphore(0, fairness);
                         spawn("loop", [&] {
                             futon::EventLoop loop;
                             loop.run_until(core::promise_of(semaphore.acquiring(), 1us));
                         });
                         spawn("thread", [&] { acquire_and_release(semaphore); });
                         semaphore.release();
                         futon::explorer::join();
                         check_idle(semaphore, 1);
                     });
}

TEST(ModelArbiter, WhatIsOfferedIsThere) {
    for (const Fairness fairness : futon::test::fairnesses)
        expect_holds("a task that wants two, a passer-by, a thread", {.preemptions = 2, .clock_leaps = 2}, [fairness] {
            FairSemaphore semaphore(1, fairness);
            futon::EventLoop loop(futon::CanBlock::yes);
            auto promise = core::promise_of(semaphore.acquiring(2));
            spawn("releaser", [&] { semaphore.release(); });
            spawn("passer-by", [&] {
                if (semaphore.try_acquire()) semaphore.release();
            });
            futon::explorer::join();
            auto permits = loop.run_until(std::move(promise));
            check(permits.release() != nullptr, "the task gets both");
            check_idle(semaphore, 0);
        });
}

TEST(ModelArbiter, NothingIsHandedOffThatAPasserByHasTaken) {
    expect_holds("a thread that wants two, a release, a passer-by", {.preemptions = 3, .clock_leaps = 2}, [] {
        FairSemaphore semaphore(1, Fairness::bounded);
        std::uint32_t out = 0;
        const auto hold = [&](std::uint32_t count) {
            out += count;
            check(out <= 2, "no permit is made");
            futon::explorer::point("inside", &semaphore);
            out -= count;
            semaphore.release(count);
        };
        spawn("two", [&] {
            acquire(semaphore, 2);
            hold(2);
        });
        spawn("releaser", [&] { semaphore.release(); });
        spawn("passer-by", [&] {
            if (semaphore.try_acquire()) hold(1);
        });
        futon::explorer::join();
        check_idle(semaphore, 2);
    });
}

TEST(ModelArbiter, AReleaseDoesNotRelyForEverOnAThreadThatItWoke) {
    expect_holds("two that acquire, one of them late, releases", {.preemptions = 2}, [] {
        FairSemaphore semaphore(0, Fairness::bounded);
        for (const char* name : {"A", "B"}) spawn(name, [&] { acquire(semaphore); });
        spawn("releaser", [&] {
            const void* const queue = semaphore.acquiring().key();
            const bool were_queued = core::process_table().count(queue) == 2;
            semaphore.release();
            futon::explorer::sleep_until("two thresholds",
                                         futon::explorer::virtual_now() + 2 * core::handoff_threshold);
            for (int i = 0; i < 4; ++i) semaphore.release();  // each fourth asks whether a handoff is due
            check(!were_queued || core::process_table().count(queue) == 0, "[fifo] the second is handed a permit");
        });
        futon::explorer::join();
        check_idle(semaphore, 3);
    });
}

TEST(ModelArbiter, AThreadThatCannotUseAnOfferThatHasExpiredPassesItOn) {
    for (const Fairness fairness : futon::test::fairnesses)
        expect_holds("an offer of one, a thread that wants two", {.preemptions = 1, .clock_leaps = 3, .early_ticks = 2},
                     [fairness] {
                         FairSemaphore semaphore(0, fairness);
                         futon::EventLoop loop(futon::CanBlock::yes);
                         auto promise = core::promise_of(semaphore.acquiring());
                         spawn("two", [&] { acquire_and_release(semaphore, 2); });
                         spawn("one", [&] { acquire_and_release(semaphore); });
                         semaphore.release();
                         semaphore.release();
                         futon::explorer::join();
                         auto permits = loop.run_until(std::move(promise));
                         check(permits.release() != nullptr, "the task gets its permit");
                         check_idle(semaphore, 1);
                     });
}

TEST(ModelArbiter, TheWaiterMayDestroyItOnceItHasAcquired) {
    for (const Fairness fairness : futon::test::fairnesses)
        expect_holds("a semaphore that its waiter destroys", {.preemptions = 3, .clock_leaps = 1}, [fairness] {
            auto* semaphore = new FairSemaphore(0, fairness);
            spawn("releaser", [=] { semaphore->release(2); });
            spawn("waiter", [=] {
                if (!acquire(*semaphore, 2, 1us)) acquire(*semaphore, 2);
                delete semaphore;
            });
            futon::explorer::join();
        });
}

TEST(ModelArbiter, AnAcquisitionSeesWhatCameBeforeTheReleaseOnAWeakMemory) {
    expect_holds("a message by a semaphore, weak", {.preemptions = 2, .stale_loads = 1}, [] {
        FairSemaphore semaphore(0, Fairness::bounded);
        futon::explorer::Shared message;
        spawn("writer", [&] {
            message.store(1);
            semaphore.release();
        });
        spawn("reader", [&] {
            acquire(semaphore);
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

TEST(ModelArbiter, ATryShowsWhatCameBeforeALimitedReleaseOnAWeakMemory) {
    expect_holds("a message by a limited release, weak", {.preemptions = 2, .stale_loads = 1}, [] {
        core::Arbiter<futon::detail::PermitRules> permits(0);
        futon::explorer::Shared message;
        spawn("writer", [&] {
            message.store(1);
            check(permits.give_back_up_to(0, 1), "there is room");
        });
        spawn("passer-by", [&] {
            if (permits.try_take(1)) check(message.load() == 1, "the message is seen");
        });
        futon::explorer::join();
    });
}

}  // namespace
