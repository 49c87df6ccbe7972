// SPDX-License-Identifier: MIT
// A loop that is closed while other threads wake it and hand locks off to it.
#include <futon/futon.hpp>

#include "explore.hpp"

namespace {

using futon::explorer::check;
using futon::explorer::spawn;
using futon::test::expect_holds;

/// Counts that a coroutine has ended, in whichever way.
struct Ends {
    int& ended;
    ~Ends() { ++ended; }
};

futon::Promise<void> wait_at(int& cell, int& woken, int& ended) {
    const Ends at_end{ended};
    co_await futon::core::await(futon::waiting(futon::Word(cell), 0));
    ++woken;
}

/// A function of the loop is the first in the queue of a lock, when the loop is closed and the lock released at once.
void closing_passes_the_lock_on(futon::Fairness fairness) {
    futon::EventLoop loop{futon::CanBlock::yes};
    futon::AsyncLock lock(fairness);
    lock.lock();
    int of_loop = 0;
    int of_thread = 0;
    lock.execute_locked([&] { ++of_loop; });
    spawn("owner", [&] { lock.unlock(); });
    spawn("thread", [&] {
        lock.lock();
        ++of_thread;
        lock.unlock();
    });

    loop.close();
    check(futon::core::process_table().count(&lock) <= 1, "at most the thread is queued");
    futon::explorer::join();
    loop.run();

    check(of_thread == 1, "the thread got the lock");
    check(of_loop == 0, "a closed loop runs none of its functions that wait");
    check(lock.try_lock(), "the lock is free in the end");
}

TEST(ModelClose, PassesALockThatIsHandedOffToItToTheNextThread) {
    expect_holds("strict lock, a loop that is closed, an owner, a thread", {.preemptions = 3},
                 [] { closing_passes_the_lock_on(futon::Fairness::strict); });
}

TEST(ModelClose, PassesAWakeForALockToTheNextThread) {
    expect_holds("lock, a loop that is closed, an owner, a thread", {.preemptions = 3},
                 [] { closing_passes_the_lock_on(futon::Fairness::bounded); });
}

TEST(ModelClose, EndsEachWaitOnceWhileItIsNotified) {
    expect_holds("two waits of a loop that is closed, a notifier", {.preemptions = 3}, [] {
        futon::EventLoop loop;
        int cell = 0;
        int woken = 0;
        int ended = 0;
        for (int i = 0; i < 2; ++i) static_cast<void>(wait_at(cell, woken, ended));
        spawn("notifier", [&] { futon::notify(futon::Word(cell), 1); });

        loop.close();
        check(ended == 2, "no wait is left");
        check(woken == 0, "and none went on");
        futon::explorer::join();
        check(!loop.poll(), "nothing was posted");
    });
}

}  // namespace
