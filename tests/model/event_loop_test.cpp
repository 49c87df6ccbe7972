// SPDX-License-Identifier: MIT
#include <chrono>
#include <optional>

#include <futon/futon.hpp>

#include "explore.hpp"

#ifdef FUTON_MODEL_SPINS
#define ModelEventLoop ModelSpinningEventLoop  // the same tests in a program where loops poll before they sleep
#endif

namespace {

using namespace std::chrono_literals;

using futon::explorer::check;
using futon::explorer::Shared;
using futon::explorer::spawn;
using futon::test::expect_holds;

TEST(ModelEventLoop, AStopMayBeFollowedByTheEndOfTheLoop) {
    expect_holds("stop, end of the loop", {}, [] {
        futon::EventLoop* made = nullptr;
        int ready = 0;
        spawn("loop", [&] {
            futon::EventLoop own;
            made = &own;
            futon::Word(ready).store(1);
            futon::notify(futon::Word(ready));
            int never = 0;
            auto waiting = futon::wait_async(futon::Word(never), 0).promise();
            own.run();
        });
        spawn("stopper", [&] {
            futon::wait(futon::Word(ready), 0);
            made->stop();
        });
        futon::explorer::join();
    });
}

/// A loop that another fiber can find, and that lives until that has posted to it.
template <class Prepare, class Post>
void loop_and_poster(Prepare prepare, Post post) {
    int is_ready = 0;
    int is_over = 0;
    futon::EventLoop* found = nullptr;
    spawn("loop", [&] {
        futon::EventLoop loop;
        found = &loop;
        futon::Word(is_ready).store(1);
        futon::notify(futon::Word(is_ready));
        prepare(loop);
        auto over = futon::wait_async(futon::Word(is_over), 0);
        if (over.async()) loop.run_until(over.promise());
        loop.run();
    });
    spawn("poster", [&] {
        futon::wait(futon::Word(is_ready), 0);
        post(*found);
        futon::Word(is_over).store(1);
        futon::notify(futon::Word(is_over));
    });
    futon::explorer::join();
}

TEST(ModelEventLoop, APostedFunctionSeesWhatCameBeforeOnAWeakMemory) {
    expect_holds("post, message, weak", {.stale_loads = 1}, [] {
        Shared message;
        bool has_run = false;
        loop_and_poster([](futon::EventLoop&) {},
                        [&](futon::EventLoop& loop) {
                            message.store(7);
                            loop.post([&] {
                                check(message.load() == 7, "what came before the post is seen");
                                has_run = true;
                            });
                        });
        check(has_run, "it has run");
    });
}

TEST(ModelEventLoop, ARingKnowsWhetherTheDoorbellHasADescriptorOnAWeakMemory) {
    expect_holds("post, a loop with a descriptor, weak", {.stale_loads = 1}, [] {
        loop_and_poster([](futon::EventLoop& loop) { loop.native_handle(); },
                        [](futon::EventLoop& loop) { loop.post([] {}); });
    });
}

TEST(ModelEventLoop, WhatWasPostedBeforeRunsBefore) {
    expect_holds("a post, then one of the loop's own", {}, [] {
        futon::EventLoop* found = nullptr;
        int step = 0;
        int runs = 0;
        spawn("loop", [&] {
            futon::EventLoop loop(futon::CanBlock::yes);
            found = &loop;
            futon::Word(step).store(1);
            futon::notify(futon::Word(step));
            while (futon::Word(step).load() == 1) futon::wait(futon::Word(step), 1);
            loop.post([&] { check(++runs == 2, "[fifo] the loop's own job is the second"); });
            loop.run();
        });
        spawn("poster", [&] {
            futon::wait(futon::Word(step), 0);
            found->post([&] { check(++runs == 1, "[fifo] the other thread's job is the first"); });
            futon::Word(step).store(2);
            futon::notify(futon::Word(step));
        });
        futon::explorer::join();
        check(runs == 2, "both have run");
    });
}

TEST(ModelEventLoop, ALoopThatSleepsAgainAndAgainMissesNoJob) {
    expect_holds("three posts, a loop that is kept running", {}, [] {
        futon::EventLoop* found = nullptr;
        std::optional<futon::WorkGuard> guard;
        int is_ready = 0;
        int runs = 0;
        spawn("loop", [&] {
            futon::EventLoop loop;
            found = &loop;
            guard.emplace(loop.keep_running());
            futon::Word(is_ready).store(1);
            futon::notify(futon::Word(is_ready));
            loop.run();
            check(runs == 3, "all have run");
        });
        spawn("poster", [&] {
            futon::wait(futon::Word(is_ready), 0);
            for (int job = 1; job <= 3; ++job)
                found->post([&, job] {
                    check(++runs == job, "[fifo] in order");
                    if (job == 3) guard.reset();
                });
        });
        futon::explorer::join();
    });
}

TEST(ModelEventLoop, ATimerThatStopsItsLoopIsTheLastToFire) {
    expect_holds("two timers of one deadline, the first stops", {}, [] {
        int fired = 0;
        spawn("loop", [&] {
            futon::EventLoop loop;
            const futon::Deadline deadline(1ms);
            for (int i = 0; i < 2; ++i) {
                loop.post_at(deadline, [&] {
                    ++fired;
                    loop.stop();
                });
            }
            loop.run();
            check(fired == 1, "the stop came before the second timer");
            loop.run();
        });
        futon::explorer::join();
        check(fired == 2, "both have fired");
    });
}

TEST(ModelEventLoop, AJobRunsUnderItsLoopsAgentAlthoughAnotherWasMade) {
    expect_holds("a job makes a loop, a second job runs, a third ends it", {}, [] {
        spawn("loop", [&] {
            futon::EventLoop outer;
            std::optional<futon::EventLoop> made;
            outer.post([&] { made.emplace(); });
            outer.post([&] { check(futon::Agent::current().executor() == &outer, "it is the loop's own agent"); });
            outer.run();
            check(futon::Agent::current().executor() == &*made, "the newest agent is current after the run");
            outer.post([&] { made.reset(); });
            outer.run();
            check(futon::Agent::current().executor() == &outer, "the agent before it is current again");
        });
        futon::explorer::join();
    });
}

TEST(ModelEventLoop, ALoopThatIsPolledMayEndWhileARingIsUnderWay) {
    expect_holds("post, poll, end of a loop with a handle", {}, [] {
        futon::EventLoop* found = nullptr;
        int is_ready = 0;
        int is_over = 0;
        bool has_run = false;
        spawn("loop", [&] {
            futon::EventLoop loop(futon::CanBlock::yes);
            found = &loop;
            loop.native_handle();
            futon::Word(is_ready).store(1);
            futon::notify(futon::Word(is_ready));
            for (int polls = 0; polls < 2 && !has_run; ++polls) loop.poll();
            if (!has_run) futon::wait(futon::Word(is_over), 0);
            // What the job has posted is discarded, and the ring that may still be under way waited for.
        });
        spawn("poster", [&] {
            futon::wait(futon::Word(is_ready), 0);
            found->post([&, loop = found] {
                has_run = true;
                loop->post([] {});
            });
            futon::Word(is_over).store(1);
            futon::notify(futon::Word(is_over));
        });
        futon::explorer::join();
    });
}

TEST(ModelEventLoop, AWorkGuardMayBeDroppedByAnotherThread) {
    expect_holds("run with a guard, which a thread drops", {}, [] {
        std::optional<futon::WorkGuard> guard;
        int is_ready = 0;
        spawn("loop", [&] {
            futon::EventLoop loop;
            guard.emplace(loop.keep_running());
            futon::Word(is_ready).store(1);
            futon::notify(futon::Word(is_ready));
            loop.run();
        });
        spawn("dropper", [&] {
            futon::wait(futon::Word(is_ready), 0);
            guard->reset();
        });
        futon::explorer::join();
    });
}

}  // namespace
