// SPDX-License-Identifier: MIT
#include <futon/sync/semaphore.hpp>

#include <cstdint>
#include <system_error>

#include <futon/futon.hpp>

#include "../support/lock_waiter.hpp"
#include "explore.hpp"

// The semaphore stands on the arbiter, whose programs explore it (arbiter_test.cpp): here is what a semaphore has beside that.
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

/// Whether there was room for them.
bool release(Semaphore& semaphore, std::uint32_t permits) {
    try {
        semaphore.release(permits);
        return true;
    } catch (const std::system_error&) {
        return false;
    }
}

TEST(ModelSemaphore, TwoReleasesDoNotShareTheRoomForOne) {
    for (const Fairness fairness : futon::test::fairnesses)
        for (const bool is_awaited : {false, true})
            expect_holds("two releases, room for one", {.preemptions = 3}, [fairness, is_awaited] {
                constexpr std::uint32_t most = Semaphore::max();
                Semaphore semaphore(0, fairness);
                int released = 0;
                if (is_awaited) spawn("waiter", [&] { semaphore.acquire(); });
                for (const char* name : {"A", "B"}) spawn(name, [&] { released += release(semaphore, most) ? 1 : 0; });
                futon::explorer::join();
                check(released == 1, "one of them finds room");
                check(semaphore.available() == most - (is_awaited ? 1 : 0), "and the other adds nothing");
            });
}

TEST(ModelSemaphore, ThereIsNoRoomForMoreBesideAThreadThatWasWoken) {
    expect_holds("two that acquire, releases, room for two", {.preemptions = 2}, [] {
        Semaphore semaphore(0, 2);
        for (const char* name : {"A", "B"}) spawn(name, [&] { semaphore.acquire(); });
        spawn("releaser", [&] {
            int released = 0;
            for (int i = 0; i < 3; ++i) released += semaphore.try_release() ? 1 : 0;
            check(released >= 2 && semaphore.available() <= semaphore.maximum(), "there is room for two");
        });
        futon::explorer::join();
    });
}

TEST(ModelSemaphore, ACallerAsksTheQueueOnceAHandoffIsDue) {
    expect_holds("a big request, a passer-by after the threshold", {.preemptions = 2}, [] {
        Semaphore semaphore(1);
        spawn("big", [&] { semaphore.acquire(2); });
        spawn("passer-by", [&] {
            const bool was_queued = futon::core::process_table().count(&semaphore) == 1;
            futon::explorer::sleep_until("two thresholds",
                                         futon::explorer::virtual_now() + 2 * Semaphore::handoff_threshold);
            const bool is_overtaken = semaphore.try_acquire();
            check(!was_queued || !is_overtaken,
                  "[fifo] what there is is kept for the big one, though none is released");
            semaphore.release(is_overtaken ? 2 : 1);
        });
        futon::explorer::join();
        check_idle(semaphore, 0);
    });
}

TEST(ModelSemaphore, AReleaseDoesNotRelyForEverOnAThreadThatItWoke) {
    expect_holds("two that acquire, one of them late, releases", {.preemptions = 2}, [] {
        Semaphore semaphore;
        for (const char* name : {"A", "B"}) spawn(name, [&] { semaphore.acquire(); });
        spawn("releaser", [&] {
            const bool were_queued = futon::core::process_table().count(&semaphore) == 2;
            semaphore.release();
            futon::explorer::sleep_until("two thresholds",
                                         futon::explorer::virtual_now() + 2 * Semaphore::handoff_threshold);
            for (int i = 0; i < 4; ++i) semaphore.release();  // each fourth asks whether a handoff is due
            check(!were_queued || futon::core::process_table().count(&semaphore) == 0,
                  "[fifo] the second is handed a permit");
        });
        futon::explorer::join();
        check_idle(semaphore, 3);
    });
}

/// Requests of a semaphore, for waiters that a test moves by hand.
struct Requests {
    using Locking = Semaphore::Acquiring;
    Locking locking() const { return semaphore.acquiring(count); }

    Semaphore& semaphore;
    std::uint32_t count;
};
using PermitWaiter = futon::test::WaiterForLock<Requests>;

/// A thread was woken, and does not run. For `count` permits that another waits for behind it, there are or will be enough.
void expect_kept(const char* name, PermitWaiter::Kind kind, std::uint32_t count) {
    expect_holds(name, {.preemptions = 1}, [=] {
        Semaphore semaphore;
        Requests one{semaphore, 1};
        Requests many{semaphore, count};
        PermitWaiter late(one, PermitWaiter::Kind::thread);
        PermitWaiter other(many, kind);
        PermitWaiter last(one, PermitWaiter::Kind::thread);
        check(late.enqueue() && other.enqueue() && last.enqueue(), "all are queued");
        semaphore.release();
        check(late.given() == futon::core::WakeToken::none, "the thread is woken");
        futon::explorer::sleep_until("two thresholds",
                                     futon::explorer::virtual_now() + 2 * Semaphore::handoff_threshold);
        for (int i = 0; i < 4; ++i) semaphore.release();  // each fourth asks whether a handoff is due

        check(semaphore.available() == 5, "no one has taken yet");
        check(!semaphore.try_acquire(), "no caller takes what is kept for the other");
    });
}

TEST(ModelSemaphore, ACallerTakesNothingThatIsKeptWhileAThreadIsOnItsWay) {
    expect_kept("a late thread, a big request behind it", PermitWaiter::Kind::thread, 6);
    expect_kept("a late thread, an offer to a task behind it", PermitWaiter::Kind::task, 5);
}

TEST(ModelSemaphore, AThreadIsWokenBesideALateOneIfThereAreTwoPermits) {
    expect_holds("two that acquire, the first late", {.preemptions = 1}, [] {
        constexpr int enough = 16;  // releases: one of them asks the clock
        Semaphore semaphore;
        Requests one{semaphore, 1};
        PermitWaiter late(one, PermitWaiter::Kind::thread);
        PermitWaiter next(one, PermitWaiter::Kind::thread);
        check(late.enqueue() && next.enqueue(), "both wait");
        semaphore.release();
        futon::explorer::sleep_until("longer than a wake takes", futon::explorer::virtual_now() + 150us);
        for (int times = 0; times < enough; ++times) {
            check(semaphore.try_acquire(), "it is there for those who pass by");
            semaphore.release();
        }
        check(!next.given(), "[woken] one permit is for the first, or for those who pass by");
        for (int times = 0; times < enough; ++times) semaphore.release();
        check(next.given() == futon::core::WakeToken::none, "there is one for the next");
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

}  // namespace
