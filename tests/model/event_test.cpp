// SPDX-License-Identifier: MIT
#include <memory>
#include <utility>

#include <futon/futon.hpp>

#include "explore.hpp"
#include "wait_programs.hpp"

namespace {

using namespace std::chrono_literals;
using futon::AutoResetEvent;
using futon::Event;
using futon::WaitResult;
using futon::core::process_table;
using futon::explorer::check;
using futon::explorer::Shared;
using futon::explorer::spawn;
using futon::test::AnAutoResetEvent;
using futon::test::AnEvent;
using futon::test::expect_holds;
using futon::test::expect_is_not_read_once_freed;
using futon::test::expect_may_be_destroyed;
using futon::test::expect_shows_what_came_before;

TEST(ModelEvent, ReleasesThoseThatAreQueuedThoughItIsResetAtOnce) {
    expect_holds("event, two waiters, set and reset at once", {.preemptions = 4}, [] {
        Event event;
        for (int i = 0; i < 2; ++i) spawn("waiter", [&] { check(event.wait() == WaitResult::ok, "it was set"); });
        spawn("setter", [&] {
            const bool are_queued = process_table().count(&event) == 2;
            event.set();
            if (are_queued) event.reset();
        });
        futon::explorer::join();
        check(process_table().count(&event) == 0, "no waiter is queued");
    });
}

TEST(ModelEvent, ShowsWhatCameBeforeASetOnAWeakMemory) {
    expect_shows_what_came_before<AnEvent>("event, a waiter, a poll, weak");
}

TEST(ModelEvent, ShowsWhatCameBeforeASetOfASetEventAfterAResetOnAWeakMemory) {
    expect_holds("event that is set, a setter, a consumer, weak", {.stale_loads = 2}, [] {
        Event event(true);
        futon::core::Atomic<int> item{0};
        bool is_consumed = false;
        spawn("producer", [&] {
            item.store(1, std::memory_order_relaxed);
            event.set();
        });
        spawn("consumer", [&] {
            while (!is_consumed) {
                check(event.wait() == WaitResult::ok, "it is set, or will be");
                event.reset();
                is_consumed = item.load(std::memory_order_relaxed) == 1;
            }
        });
        futon::explorer::join();
    });
}

TEST(ModelEvent, MayBeDestroyedByOneThatSeesItSet) {
    expect_may_be_destroyed<AnEvent>("event, its waiter destroys it");
}

TEST(ModelEvent, IsNotReadOnceItsWaiterHasFreedIt) {
    expect_is_not_read_once_freed<AnEvent>("event, its waiter frees it");
}

TEST(ModelAutoResetEvent, HandsOneSignalFromOneToTheNextOnAWeakMemory) {
    expect_holds("auto-reset event, three that pass a signal on, weak", {.preemptions = 3, .stale_loads = 1}, [] {
        AutoResetEvent event;
        Shared sum;
        int inside = 0;
        for (int i = 0; i < 3; ++i)
            spawn("worker", [&] {
                check(event.wait() == WaitResult::ok, "a signal came");
                check(inside++ == 0, "one at a time");
                sum.store(sum.load() + 1);
                --inside;
                event.set();
            });
        spawn("setter", [&] { event.set(); });
        futon::explorer::join();
        check(event.try_wait() && !event.try_wait(), "the signal is remembered in the end");
        check(sum.load() == 3, "each has seen those before it");
        check(process_table().count(&event) == 0, "no waiter is queued");
    });
}

TEST(ModelAutoResetEvent, ShowsWhatCameBeforeASetOnAWeakMemory) {
    expect_holds("auto-reset event, a deadline, a poll, weak", {.preemptions = 3, .stale_loads = 2}, [] {
        AutoResetEvent event;
        Shared message;
        spawn("setter", [&] {
            message.store(1);
            event.set();
        });
        spawn("hasty", [&] {
            if (event.wait(1us) == WaitResult::ok) check(message.load() == 1, "the message is seen");
        });
        spawn("poll", [&] {
            if (event.try_wait()) check(message.load() == 1, "the message is seen");
        });
        futon::explorer::join();
    });
}

TEST(ModelAutoResetEvent, LosesNoSignalToAWaiterThatLeaves) {
    expect_holds("auto-reset event, a deadline, a waiter, a poll", {.preemptions = 4}, [] {
        AutoResetEvent event;
        int signals = 0;
        spawn("setter", [&] { event.set(); });
        spawn("hasty", [&] {
            if (event.wait(1us) == WaitResult::ok) event.set();
        });
        spawn("waiter", [&] {
            check(event.wait() == WaitResult::ok, "a signal came");
            ++signals;
        });
        spawn("poll", [&] {
            if (event.try_wait()) event.set();
        });
        futon::explorer::join();
        check(signals == 1 && !event.try_wait(), "one signal, taken once");
    });
}

TEST(ModelAutoResetEvent, LosesNoSignalToALoopThatEnds) {
    expect_holds("auto-reset event, a loop that ends, a waiter", {.preemptions = 3}, [] {
        AutoResetEvent event;
        int taken = 0;
        spawn("setter", [&] { event.set(); });
        spawn("loop", [&] {
            futon::EventLoop loop;
            auto wait = [&]() -> futon::Promise<void> {
                if (co_await event.wait_async() == WaitResult::ok) event.set();
            };
            const auto first = wait();
            const auto second = wait();
            loop.poll();
        });
        spawn("waiter", [&] {
            check(event.wait() == WaitResult::ok, "a signal came");
            ++taken;
        });
        futon::explorer::join();
        check(taken == 1 && !event.try_wait(), "one signal, taken once");
    });
}

TEST(ModelAutoResetEvent, LosesNoSignalToASelectThatIsOver) {
    expect_holds("two auto-reset events, a select, a waiter", {.preemptions = 3}, [] {
        AutoResetEvent first;
        AutoResetEvent second;
        spawn("first", [&] { first.set(); });
        spawn("second", [&] { second.set(); });
        bool is_first = false;
        spawn("select", [&] {
            is_first = futon::select(first.waiting(), second.waiting()).index() == 0;
            if (!is_first) second.set();
        });
        spawn("waiter", [&] { check(second.wait() == WaitResult::ok, "a signal came"); });
        futon::explorer::join();
        check(first.try_wait() == !is_first, "the signal that was not taken is remembered");
        check(!second.try_wait(), "the other was taken");
        check(process_table().count(&first) + process_table().count(&second) == 0, "no waiter is queued");
    });
}

TEST(ModelAutoResetEvent, MayBeDestroyedByTheOneThatHasItsSignal) {
    expect_may_be_destroyed<AnAutoResetEvent>("auto-reset event, its waiter destroys it");
}

TEST(ModelAutoResetEvent, IsNotReadOnceItsWaiterHasFreedIt) {
    expect_is_not_read_once_freed<AnAutoResetEvent>("auto-reset event, its waiter frees it");
}

/// In the model a part is two.
TEST(ModelEvent, ReleasesVeryManyThoughOneComesAndOneLeavesMeanwhile) {
    expect_holds("event, three tasks, one that comes, one that leaves, a set", {.preemptions = 2}, [] {
        futon::Event event;
        futon::EventLoop loop;
        int released = 0;
        const auto wait = [&]() -> futon::Promise<void> {
            check(co_await event.wait_async() == futon::WaitResult::ok, "it is set");
            check(event.is_set(), "before any wait ends");
            ++released;
        };
        futon::Promise<void> waits[] = {wait(), wait(), wait()};
        auto leaving = std::make_unique<futon::Promise<futon::WaitResult>>(futon::promise_of(event.waiting()));
        spawn("setter", [&] { event.set(); });
        spawn("thread", [&] { check(event.wait() == futon::WaitResult::ok && event.is_set(), "it is released, too"); });
        leaving.reset();
        for (auto& one : waits) loop.run_until(std::move(one));
        futon::explorer::join();
        check(released == 3, "all that waited are released");
    });
}

}  // namespace
