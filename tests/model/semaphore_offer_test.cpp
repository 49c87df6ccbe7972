// SPDX-License-Identifier: MIT
// What waiters of a semaphore do while an offer to a task is open that can serve none of them.
#include <chrono>

#include <futon/futon.hpp>
#include <futon/sync/semaphore.hpp>

#include "explore.hpp"

namespace {

using namespace std::chrono_literals;
using futon::Fairness;
using futon::Semaphore;
using futon::WaitResult;
using futon::explorer::check;
using futon::explorer::spawn;
using futon::test::expect_holds;

TEST(ModelSemaphore, AnExpiredOfferIsNotPolledByOneThatItCannotServe) {
    expect_holds("a task that is offered 1, a thread that waits for 2", {.preemptions = 2}, [] {
        Semaphore semaphore(0, Fairness::strict);
        spawn("loop", [&] {
            futon::EventLoop loop;
            const auto take = [&]() -> futon::Promise<void> { static_cast<void>(co_await semaphore.acquire_async()); };
            take();
            semaphore.release();  // offers it to the task, whose loop runs later
            spawn("big", [&] { semaphore.acquire(2); });
            loop.run();
            semaphore.release(2);
        });
        futon::explorer::join();
    });
}

TEST(ModelSemaphore, NothingIsOfferedThatAPasserByHasTaken) {
    expect_holds("a task with a deadline, a release, a passer-by", {.preemptions = 2, .clock_leaps = 2}, [] {
        Semaphore semaphore(1);
        spawn("loop", [&] {
            futon::EventLoop loop;
            const auto take = [&]() -> futon::Promise<void> {
                if (co_await semaphore.acquire_async(2, 1us) == WaitResult::ok) semaphore.release(2);
            };
            take();
            loop.run();
        });
        spawn("releaser", [&] { semaphore.release(); });
        spawn("passer-by", [&] {
            if (semaphore.try_acquire()) semaphore.release();
        });
        futon::explorer::join();
        check(semaphore.available() == 2 && semaphore.try_acquire(2), "no offer outlives the wait of its task");
    });
}

TEST(ModelSemaphore, AThreadBehindAHandoffAndAnOfferDoesNotWaitForTheLoop) {
    expect_holds("a handoff and an offer, a thread behind them", {.preemptions = 3}, [] {
        Semaphore semaphore(0, Fairness::strict);
        spawn("A", [&] {
            semaphore.acquire();
            semaphore.release();
        });
        spawn("releaser", [&] { semaphore.release(2); });  // to A, and offered to the task
        futon::EventLoop loop(futon::CanBlock::yes);
        futon::explorer::point("A may be queued", &semaphore);
        auto promise = futon::promise_of(semaphore.acquiring());
        spawn("B", [&] {
            semaphore.acquire();
            semaphore.release();
        });
        futon::explorer::join();  // the loop does not run
        check(loop.run_until(promise) == WaitResult::ok, "the task keeps its place");
    });
}

}  // namespace
