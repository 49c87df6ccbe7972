// SPDX-License-Identifier: MIT
#pragma once

#include "adapters/scene.hpp"

namespace futon::test {

template <class Host>
class LoopScenarios : public Scene<Host> {};
TYPED_TEST_SUITE(LoopScenarios, TestedHosts);

TYPED_TEST(LoopScenarios, JobsRunInTheirOrder) {
    for (char letter = 'a'; letter <= 'e'; ++letter) this->host->post([this, letter] { this->order += letter; });
    this->host->post([&] { this->host->stop(); });

    this->run();

    EXPECT_EQ(this->order, "abcde");
}

TYPED_TEST(LoopScenarios, TheHostsEventsAreNotStarvedByJobsThatPost) {
    bool is_over = false;
    int jobs = 0;
    std::function<void()> again = [&] {
        ++jobs;
        if (!is_over) this->host->post([&] { again(); });
    };
    again();
    this->host->from_host([&] {
        is_over = true;
        this->host->stop();
    });

    this->run();

    EXPECT_TRUE(is_over);
    this->settle();
}

TYPED_TEST(LoopScenarios, ALoopThatWasStoppedIsRunAgain) {
    for (int i = 0; i < 3; ++i) {
        this->results.clear();
        this->call(this->event.waiting(), 1ms, [&](WaitResult result) {
            this->call(waiting(this->word, 1), 1ms, [](WaitResult) {});
            this->finish_after(1)(result);
        });

        this->run();

        EXPECT_EQ(this->results.size(), 1u);
    }
}

TYPED_TEST(LoopScenarios, WhatArrivedWhileTheHostDidNotRunIsDelivered) {
    this->host->post([&] { this->host->stop(); });
    this->run();
    this->call(this->event.waiting(), this->finish_after(1));
    std::thread([&] { this->event.set(); }).join();

    this->run();

    EXPECT_EQ(this->results, std::vector{WaitResult::ok});
}

TYPED_TEST(LoopScenarios, AStopLeavesTheRestForTheNextRun) {
    this->host->post([&] {
        this->order += 'a';
        this->host->stop();
    });
    this->run();
    this->host->post([&] {
        this->order += 'b';
        this->host->stop();
    });

    this->run();

    EXPECT_EQ(this->order, "ab");
}

TYPED_TEST(LoopScenarios, TurnDoesNotWait) {
    this->call(this->event.waiting(), this->finish_after(2));

    this->settle();

    EXPECT_TRUE(this->results.empty());
}

TYPED_TEST(LoopScenarios, ExceptionsGoToTheHandler) {
    if constexpr (!TypeParam::is_agent) {
        GTEST_SKIP() << "the host has a way of its own";
    } else {
        std::string texts;
        this->host->loop().set_unhandled_handler([&](std::exception_ptr error) {
            try {
                std::rethrow_exception(error);
            } catch (const std::exception& e) {
                texts += e.what();
            }
        });
        this->host->post([] { throw std::runtime_error("job "); });
        this->call(this->event.waiting(), 1ms, [](WaitResult) { throw std::runtime_error("callback "); });
        const auto task = [&]() -> Promise<void> {
            co_await this->event.wait_async(4ms);
            throw std::runtime_error("coroutine ");
        };
        static_cast<void>(task());
        this->call(this->event.waiting(), 9ms, this->finish_after(1));

        this->run();
        this->settle();

        EXPECT_EQ(texts, "job callback coroutine ");
    }
}

TYPED_TEST(LoopScenarios, AHandlerMayStopTheHost) {
    if constexpr (!TypeParam::is_agent) {
        GTEST_SKIP() << "the host has a way of its own";
    } else {
        this->host->loop().set_unhandled_handler([&](std::exception_ptr) { this->host->stop(); });
        this->host->post([] { throw std::runtime_error("job"); });

        this->run();

        this->host->post([&] { this->host->stop(); });
        this->run();
    }
}

TYPED_TEST(LoopScenarios, JobsAndTimersRunInANestedRun) {
    if constexpr (!TypeParam::nests) {
        GTEST_SKIP() << "the host's rule";
    } else {
        this->host->post([&] {
            this->order += 'a';
            this->call(this->event.waiting(), 2ms, [&](WaitResult) {
                this->order += 'c';
                this->host->stop();
            });
            this->host->post([&] { this->order += 'b'; });
            this->run();
            this->order += 'd';
            this->host->stop();
        });

        this->run();

        EXPECT_EQ(this->order, "abcd");
    }
}

TYPED_TEST(LoopScenarios, JobsBehindOneThatNestsAreRunInTheNestedRun) {
    if constexpr (!TypeParam::nests) {
        GTEST_SKIP() << "the host's rule";
    } else {
        this->host->post([&] {
            this->order += 'a';
            this->run();
            this->order += 'c';
            this->host->stop();
        });
        this->host->post([&] {
            this->order += 'b';
            this->host->stop();
        });

        this->run();

        EXPECT_EQ(this->order, "abc");
    }
}

TYPED_TEST(LoopScenarios, AnotherThreadEndsTheSleepOfANestedRun) {
    if constexpr (!TypeParam::nests) {
        GTEST_SKIP() << "the host's rule";
    } else {
        std::jthread setter;
        this->host->post([&] {
            this->call(this->event.waiting(), [&](WaitResult) { this->host->stop(); });
            setter = std::jthread([&] { this->event.set(); });
            this->run();
            this->order += 'x';
            this->host->stop();
        });

        this->run();

        EXPECT_EQ(this->order, "x");
    }
}

TYPED_TEST(LoopScenarios, TheHostEndsWhenNothingMoreCanHappen) {
    if constexpr (!TypeParam::ends_by_itself) {
        GTEST_SKIP() << "the host runs until it is stopped";
    } else {
        this->run();
        this->call(this->event.waiting(), 1ms, [&](WaitResult result) { this->results.push_back(result); });
        this->host->post([&] { this->order += 'a'; });

        this->run();

        EXPECT_EQ(this->order, "a");
        EXPECT_EQ(this->results.size(), 1u);
    }
}

TYPED_TEST(LoopScenarios, TheHostWaitsForAWaitWithoutADeadline) {
    if constexpr (!TypeParam::ends_by_itself) {
        GTEST_SKIP() << "the host runs until it is stopped";
    } else {
        this->call(this->event.waiting(), [&](WaitResult result) { this->results.push_back(result); });
        std::jthread setter([&] { this->event.set(); });

        this->run();

        EXPECT_EQ(this->results.size(), 1u);
    }
}

TYPED_TEST(LoopScenarios, TheHostDoesNotWaitForWhatWasUnrefd) {
    if constexpr (!TypeParam::ends_by_itself || !TypeParam::is_agent) {
        GTEST_SKIP() << "the host runs until it is stopped";
    } else {
        CallHandle handle = call_back(this->event.waiting(), 1h, this->never_called());
        auto promise = promise_of(this->event.waiting());
        handle.unref();
        promise.unref();

        this->run();

        EXPECT_TRUE(handle.is_pending());
        EXPECT_TRUE(handle.cancel());
    }
}

TYPED_TEST(LoopScenarios, AGuardKeepsTheHostRunning) {
    if constexpr (!TypeParam::ends_by_itself || !TypeParam::is_agent) {
        GTEST_SKIP() << "the host runs until it is stopped";
    } else {
        std::optional guard(this->host->loop().keep_running());
        std::jthread other([&] {
            this->host->post([&] { this->order += 'a'; });
            guard.reset();
        });

        this->run();

        EXPECT_EQ(this->order, "a");
    }
}

}  // namespace futon::test
