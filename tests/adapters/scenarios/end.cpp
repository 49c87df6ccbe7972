// SPDX-License-Identifier: MIT
#include "adapters/scenarios/scene.hpp"

namespace futon::test {

SCENARIO(EndScenarios, TheLoopsEndDequeuesWhatWaits) {
    call(event.waiting(), never_called());
    call(event.waiting(), 1h, never_called());
    EXPECT_EQ(waiting_at(event), 2u);

    host->end_loop();

    EXPECT_EQ(waiting_at(event), 0u);
    EXPECT_TRUE(callbacks_are_destroyed());
    event.set();
}

SCENARIO(EndScenarios, TheLoopsEndPassesALockOn) {
    ASSERT_TRUE(lock.try_lock());
    call(lock.locking(), never_called());
    call(lock.locking(), never_called());
    std::thread([&] { lock.unlock(); }).join();

    host->end_loop();

    expect_free();
    EXPECT_TRUE(callbacks_are_destroyed());
}

SCENARIO(EndScenarios, TheLoopsEndGivesBackWhatWasDoneAtOnce) {
    call(lock.locking(), never_called());
    EXPECT_FALSE(lock.try_lock());

    host->end_loop();

    expect_free();
    EXPECT_TRUE(callbacks_are_destroyed());
}

SCENARIO(EndScenarios, TheLoopsEndPassesAWakeUpToAThread) {
    AutoResetEvent signal;
    call(signal.waiting(), never_called());
    until_waiting(signal, 1);
    std::jthread other([&] { signal.wait(); });
    until_waiting(signal, 2);
    signal.set();  // to the loop, which is asleep

    host->end_loop();

    other.join();
    EXPECT_TRUE(callbacks_are_destroyed());
}

SCENARIO(EndScenarios, WhatWasPostedIsDestroyed) {
    host->post([mark = alive] { ADD_FAILURE(); });

    host->end_loop();

    EXPECT_TRUE(callbacks_are_destroyed());
    settle();
}

SCENARIO(EndScenarios, TheHostRunsOnWithoutTheLoop) {
    call(event.waiting(), 1ms, never_called());
    host->end_loop();
    int ran = 0;
    host->from_host([&] {
        ++ran;
        host->stop();
    });

    run();

    EXPECT_EQ(ran, 1);
}

SCENARIO(EndScenarios, AnotherLoopInTheSameHost) {
    for (int i = 0; i < 3; ++i) {
        results.clear();
        call(event.waiting(), never_called());
        host->end_loop();
        host->begin_loop();
        call(event.waiting(), 1ms, finish_after(1));

        run();

        EXPECT_EQ(results, std::vector{WaitResult::timed_out});
    }
}

SCENARIO(EndScenarios, TheHostsEndWithWaitsPending) {
    call(event.waiting(), 1h, never_called());
    call(lock.locking(), never_called());
    host->post([mark = alive] { ADD_FAILURE(); });

    host.reset();  // in the order in which a program ends

    EXPECT_EQ(waiting_at(event), 0u);
    EXPECT_TRUE(callbacks_are_destroyed());
    expect_free();
}

SCENARIO_IF(EndScenarios, TheHostEndsFirst, host.may_end_first) {
    call(event.waiting(), 1h, never_called());
    call(lock.locking(), never_called());

    host->end_host();
    std::thread([&] { event.set(); }).join();
    host.reset();

    EXPECT_TRUE(callbacks_are_destroyed());
    expect_free();
}

SCENARIO_IF(EndScenarios, ACallbackEndsTheLoop, host.may_end_in_job) {
    call(event.waiting(), never_called());
    call(lock.locking(), [&](Guard) {
        host->end_loop();
        order += 'a';
        host->stop();
    });
    host->post([mark = alive] { ADD_FAILURE(); });

    run();

    EXPECT_EQ(order, "a");
    EXPECT_EQ(waiting_at(event), 0u);
    settle();
    EXPECT_TRUE(callbacks_are_destroyed());
    expect_free();
}

SCENARIO_IF(EndScenarios, ACallbackDestroysTheLoopsOwner, host.may_end_in_job) {
    struct Owner {
        AnyHost& host;
        std::shared_ptr<int> mark;
        ~Owner() { host.end_loop(); }
    };
    std::unique_ptr<Owner> owner(new Owner{*host, alive});
    call(event.waiting(), never_called());
    call(event.waiting(), 1ms, [&](WaitResult) {
        owner.reset();
        host->stop();
    });

    run();

    settle();
    EXPECT_TRUE(callbacks_are_destroyed());
}

SCENARIO_IF(EndScenarios, AHostsEventEndsTheLoop, host.has_own_events) {
    call(event.waiting(), 1h, never_called());
    host->from_host([&] {
        host->end_loop();
        host->stop();
    });

    run();

    EXPECT_EQ(waiting_at(event), 0u);
    settle();
}

SCENARIO_IF(EndScenarios, WhatTheEndDestroysMayPostAndWait, host.is_agent) {
    struct AtEnd {
        explicit AtEnd(std::function<void()> function) : f(std::move(function)) {}
        AtEnd(AtEnd&& other) noexcept : f(std::exchange(other.f, nullptr)) {}
        ~AtEnd() {
            if (f) f();
        }
        std::function<void()> f;
    };
    AtEnd at_end([&] {
        host->post([mark = alive] { ADD_FAILURE(); });
        EXPECT_THROW(call(event.waiting(), never_called()), NoExecutor);
    });
    call_back(event.waiting(), [end = std::move(at_end)](WaitResult) { ADD_FAILURE(); });

    host->end_loop();

    EXPECT_EQ(waiting_at(event), 0u);
    EXPECT_TRUE(callbacks_are_destroyed());
}

SCENARIO_IF(EndScenarios, CoroutinesAreDestroyedWithWhatTheyHold, host.is_agent) {
    const auto task = [&](std::shared_ptr<int> mark) -> Promise<void> {
        Guard guard = co_await lock.scoped_lock_async();
        co_await event.wait_async();
        ADD_FAILURE() << *mark;
    };
    task(alive).then([] { ADD_FAILURE(); });
    EXPECT_EQ(waiting_at(event), 1u);

    host->end_loop();

    EXPECT_TRUE(callbacks_are_destroyed());
    expect_free();
}

SCENARIO_IF(EndScenarios, CloseEndsWaitsAndKeepsJobs, host.is_agent) {
    call(event.waiting(), never_called());
    int ran = 0;

    host->close();
    host->post([&] {
        ++ran;
        host->stop();
    });

    EXPECT_EQ(waiting_at(event), 0u);
    EXPECT_TRUE(callbacks_are_destroyed());
    EXPECT_THROW(call(event.waiting(), never_called()), NoExecutor);
    run();
    EXPECT_EQ(ran, 1);
}

}  // namespace futon::test
