// SPDX-License-Identifier: MIT
#include "adapters/scenarios/scene.hpp"

namespace futon::test {

SCENARIO(LoopScenarios, JobsRunInTheirOrder) {
    for (char letter = 'a'; letter <= 'e'; ++letter) host->post([this, letter] { order += letter; });
    host->post([&] { host->stop(); });

    run();

    EXPECT_EQ(order, "abcde");
}

SCENARIO(LoopScenarios, TheHostsEventsAreNotStarvedByJobsThatPost) {
    bool is_over = false;
    int jobs = 0;
    std::function<void()> again = [&] {
        ++jobs;
        if (!is_over) host->post([&] { again(); });
    };
    again();
    host->from_host([&] {
        is_over = true;
        host->stop();
    });

    run();

    EXPECT_TRUE(is_over);
    settle();
}

SCENARIO(LoopScenarios, ALoopThatWasStoppedIsRunAgain) {
    for (int i = 0; i < 3; ++i) {
        results.clear();
        call(event.waiting(), 1ms, [&](WaitResult result) {
            call(waiting(word, 1), 1ms, [](WaitResult) {});
            finish_after(1)(result);
        });

        run();

        EXPECT_EQ(results.size(), 1u);
    }
}

SCENARIO(LoopScenarios, WhatArrivedWhileTheHostDidNotRunIsDelivered) {
    host->post([&] { host->stop(); });
    run();
    call(event.waiting(), finish_after(1));
    std::thread([&] { event.set(); }).join();

    run();

    EXPECT_EQ(results, std::vector{WaitResult::ok});
}

SCENARIO(LoopScenarios, AStopLeavesTheRestForTheNextRun) {
    host->post([&] {
        order += 'a';
        host->stop();
    });
    run();
    host->post([&] {
        order += 'b';
        host->stop();
    });

    run();

    EXPECT_EQ(order, "ab");
}

SCENARIO(LoopScenarios, TurnDoesNotWait) {
    call(event.waiting(), finish_after(2));

    settle();

    EXPECT_TRUE(results.empty());
}

SCENARIO_IF(LoopScenarios, ExceptionsGoToTheHandler, host.is_agent) {
    // In no order: a thread that is kept waiting begins a wait whose deadline has come.
    std::multiset<std::string> texts;
    host->set_unhandled_handler([&](std::exception_ptr error) {
        try {
            std::rethrow_exception(error);
        } catch (const std::exception& e) {
            texts.insert(e.what());
        }
        if (texts.size() == 3) host->stop();
    });
    host->post([] { throw std::runtime_error("job"); });
    call(event.waiting(), 1ms, [](WaitResult) { throw std::runtime_error("callback"); });
    const auto task = [&]() -> Promise<void> {
        co_await event.wait_async(4ms);
        throw std::runtime_error("coroutine");
    };
    host->post([&] { static_cast<void>(task()); });

    run();
    settle();

    EXPECT_EQ(texts, (std::multiset<std::string>{"callback", "coroutine", "job"}));
}

SCENARIO_IF(LoopScenarios, AHandlerMayStopTheHost, host.is_agent) {
    host->set_unhandled_handler([&](std::exception_ptr) { host->stop(); });
    host->post([] { throw std::runtime_error("job"); });

    run();

    host->post([&] { host->stop(); });
    run();
}

SCENARIO_IF(LoopScenarios, JobsAndTimersRunInANestedRun, host.nests) {
    host->post([&] {
        order += 'a';
        host->post([&] {
            order += 'b';
            call(event.waiting(), 2ms, [&](WaitResult) {
                order += 'c';
                host->stop();
            });
        });
        run();
        order += 'd';
        host->stop();
    });

    run();

    EXPECT_EQ(order, "abcd");
}

SCENARIO_IF(LoopScenarios, JobsBehindOneThatNestsAreRunInTheNestedRun, host.nests) {
    host->post([&] {
        order += 'a';
        run();
        order += 'c';
        host->stop();
    });
    host->post([&] {
        order += 'b';
        host->stop();
    });

    run();

    EXPECT_EQ(order, "abc");
}

SCENARIO_IF(LoopScenarios, AnotherThreadEndsTheSleepOfANestedRun, host.nests) {
    std::jthread setter;
    host->post([&] {
        call(event.waiting(), [&](WaitResult) { host->stop(); });
        setter = std::jthread([&] { event.set(); });
        run();
        order += 'x';
        host->stop();
    });

    run();

    EXPECT_EQ(order, "x");
}

SCENARIO_IF(LoopScenarios, TheHostEndsWhenNothingMoreCanHappen, host.ends_by_itself) {
    run();
    call(event.waiting(), 1ms, [&](WaitResult result) { results.push_back(result); });
    host->post([&] { order += 'a'; });

    run();

    EXPECT_EQ(order, "a");
    EXPECT_EQ(results.size(), 1u);
}

SCENARIO_IF(LoopScenarios, TheHostWaitsForAWaitWithoutADeadline, host.ends_by_itself) {
    call(event.waiting(), [&](WaitResult result) { results.push_back(result); });
    std::jthread setter([&] { event.set(); });

    run();

    EXPECT_EQ(results.size(), 1u);
}

SCENARIO_IF(LoopScenarios, TheHostDoesNotWaitForWhatWasUnrefd, (host.ends_by_itself && host.is_agent)) {
    CallHandle handle = call_back(event.waiting(), 1h, never_called());
    auto promise = promise_of(event.waiting());
    handle.unref();
    promise.unref();

    run();

    EXPECT_TRUE(handle.is_pending());
    EXPECT_TRUE(handle.cancel());
}

SCENARIO_IF(LoopScenarios, AGuardKeepsTheHostRunning, (host.ends_by_itself && host.is_agent)) {
    std::optional guard(host->keep_running());
    std::jthread other([&] {
        host->post([&] { order += 'a'; });
        guard.reset();
    });

    run();

    EXPECT_EQ(order, "a");
}

}  // namespace futon::test
