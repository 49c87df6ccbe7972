// SPDX-License-Identifier: MIT
// The doorbell of Windows in an event loop whose handle a host watches, on fibers. tests/promela/windows_bell.pml has the same
// protocol by itself, with no bound on preemptions.
#include <windows.h>

#include <chrono>
#include <new>
#include <system_error>

#include <futon/futon.hpp>

#include "model/explore.hpp"

namespace {

using namespace std::chrono_literals;

using futon::explorer::check;
using futon::explorer::spawn;
using futon::test::expect_holds;

/// So short that the wheel of timers does not move them on their way: each deadline is one alarm.
constexpr auto step = 5us;

/// A host: it waits for the handle, polls, and waits again. Polls that found nothing to run are counted.
struct Host {
    futon::EventLoop loop;
    HANDLE handle = loop.native_handle();
    int ran = 0;
    int idle = 0;

    void turn() {
        WaitForSingleObject(handle, INFINITE);
        const int before = ran;
        loop.poll();
        if (ran == before) ++idle;
    }
};

/// A host in a fiber of its own, which others find, and posters that post to it once each.
void host_and_posters(int posters, int deadlines, int idle_polls) {
    Host* found = nullptr;
    int is_ready = 0;
    spawn("host", [&] {
        Host host;
        found = &host;
        for (int i = 1; i <= deadlines; ++i) host.loop.post_at(futon::Deadline(i * step), [&host] { ++host.ran; });
        futon::Word(is_ready).store(1);
        futon::notify(futon::Word(is_ready));
        while (host.ran < posters + deadlines) host.turn();
        check(host.idle <= idle_polls, "a poll finds something to run");
    });
    for (int i = 0; i < posters; ++i) {
        spawn("poster", [&] {
            futon::wait(futon::Word(is_ready), 0);
            found->loop.post([host = found] { ++host->ran; });
        });
    }
    futon::explorer::join();
}

TEST(ModelWindowsBell, AHostIsWokenForEachPost) {
    expect_holds("two posters", {.preemptions = 3}, [] { host_and_posters(2, 0, 0); });
}

TEST(ModelWindowsBell, AHostIsWokenForEachPostOnAWeakMemory) {
    expect_holds("two posters, weak", {.preemptions = 2, .stale_loads = 1}, [] { host_and_posters(2, 0, 0); });
}

TEST(ModelWindowsBell, AHostIsWokenForADeadline) {
    expect_holds("a deadline and a poster", {.preemptions = 3, .early_ticks = 2}, [] { host_and_posters(1, 1, 0); });
}

// A callback that is late for one alarm may take the place of the next, which is early then.
TEST(ModelWindowsBell, AHostIsWokenForEachDeadline) {
    expect_holds("two deadlines and a poster", {.preemptions = 3, .early_ticks = 2}, [] { host_and_posters(1, 2, 1); });
}

TEST(ModelWindowsBell, AnEarlyTimerIsSetAgain) {
    expect_holds("two deadlines, timers that are early", {.preemptions = 2, .early_ticks = 2, .spurious_wakes = 2},
                 [] { host_and_posters(1, 2, 3); });
}

TEST(ModelWindowsBell, AnAlarmThatIsTakenBackWakesNoOne) {
    expect_holds("a deadline that is cancelled, two posters", {.preemptions = 3, .early_ticks = 2}, [] {
        Host* found = nullptr;
        futon::TimerHandle* timer = nullptr;
        int is_ready = 0;
        spawn("host", [&] {
            Host host;
            found = &host;
            auto pending = host.loop.post_at(futon::Deadline(step), [&host] { --host.idle; });
            timer = &pending;
            futon::Word(is_ready).store(1);
            futon::notify(futon::Word(is_ready));
            while (host.ran < 2) host.turn();
            check(host.idle <= 0, "a poll finds something to run, or a deadline");
        });
        for (int i = 0; i < 2; ++i) {
            spawn("poster", [&] {
                futon::wait(futon::Word(is_ready), 0);
                found->loop.post([host = found, timer] {
                    timer->cancel();
                    ++host->ran;
                });
            });
        }
        futon::explorer::join();
    });
}

TEST(ModelWindowsBell, ASleepWithADeadlineEndsByARingOrByTheTime) {
    expect_holds("run with a deadline and a poster", {.preemptions = 3, .spurious_wakes = 1}, [] {
        futon::EventLoop* found = nullptr;
        int is_ready = 0;
        int ran = 0;
        spawn("loop", [&] {
            futon::EventLoop loop;
            found = &loop;
            int never = 0;
            auto waiting = futon::wait_async(futon::Word(never), 0).promise();  // so that it runs until it is stopped
            loop.post_at(futon::Deadline(step), [&] {
                if (++ran == 2) loop.stop();
            });
            futon::Word(is_ready).store(1);
            futon::notify(futon::Word(is_ready));
            loop.run();
        });
        spawn("poster", [&] {
            futon::wait(futon::Word(is_ready), 0);
            found->post([&] {
                if (++ran == 2) found->stop();
            });
        });
        futon::explorer::join();
        check(ran == 2, "both have run");
    });
}

TEST(ModelWindowsBell, WhatAProgramSetsByMistakeIsDropped) {
    expect_holds("a poster that first sets the event", {.preemptions = 3}, [] {
        Host* found = nullptr;
        int is_ready = 0;
        spawn("host", [&] {
            Host host;
            found = &host;
            futon::Word(is_ready).store(1);
            futon::notify(futon::Word(is_ready));
            while (host.ran == 0) host.turn();
            check(host.idle <= 1, "one poll for what was set");
        });
        spawn("stray", [&] {
            futon::wait(futon::Word(is_ready), 0);
            SetEvent(found->handle);
            found->loop.post([host = found] { ++host->ran; });
        });
        futon::explorer::join();
    });
}

TEST(ModelWindowsBell, ALoopMayEndWhileItsAlarmGoesOff) {
    expect_holds("a host that ends before its deadline", {.preemptions = 3, .early_ticks = 2, .spurious_wakes = 1}, [] {
        spawn("host", [&] {
            Host host;
            bool is_called = false;
            host.loop.post_at(futon::Deadline(step), [&] { is_called = true; });
            host.loop.post([&] { ++host.ran; });
            while (host.ran == 0) host.turn();
        });
        futon::explorer::join();
    });
}

TEST(ModelWindowsBell, ALoopMayEndOnceItsStopHasRung) {
    expect_holds("a stop, end of the loop", {.preemptions = 3}, [] {
        futon::EventLoop* found = nullptr;
        int is_ready = 0;
        spawn("loop", [&] {
            futon::EventLoop loop;
            loop.native_handle();
            found = &loop;
            futon::Word(is_ready).store(1);
            futon::notify(futon::Word(is_ready));
            int never = 0;
            auto waiting = futon::wait_async(futon::Word(never), 0).promise();
            loop.run();
        });
        spawn("stopper", [&] {
            futon::wait(futon::Word(is_ready), 0);
            found->stop();
        });
        futon::explorer::join();
    });
}

TEST(ModelWindowsBell, ALoopWithoutAHandleGoesOn) {
    expect_holds("a handle that there is no room for", {.preemptions = 1, .allocation_failures = 1}, [] {
        spawn("loop", [&] {
            futon::EventLoop loop;
            try {
                const futon::explorer::AllocationsMayFail may;
                loop.native_handle();
            } catch (const std::system_error&) {
            } catch (const std::bad_alloc&) {
            }
            bool has_run = false;
            loop.post_at(futon::Deadline(step), [&] {
                has_run = true;
                loop.stop();
            });
            loop.run();
            check(has_run, "it sleeps and wakes without");
            loop.native_handle();
        });
        futon::explorer::join();
    });
}

}  // namespace
