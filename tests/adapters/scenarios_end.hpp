// SPDX-License-Identifier: MIT
#pragma once

#include "adapters/scene.hpp"

namespace futon::test {

template <class Host>
class EndScenarios : public Scene<Host> {};
TYPED_TEST_SUITE(EndScenarios, TestedHosts);

TYPED_TEST(EndScenarios, TheLoopsEndDequeuesWhatWaits) {
    this->call(this->event.waiting(), this->never_called());
    this->call(this->event.waiting(), 1h, this->never_called());
    EXPECT_EQ(waiting_at(this->event), 2u);

    this->host->end_loop();

    EXPECT_EQ(waiting_at(this->event), 0u);
    EXPECT_TRUE(this->callbacks_are_destroyed());
    this->event.set();
}

TYPED_TEST(EndScenarios, TheLoopsEndPassesALockOn) {
    ASSERT_TRUE(this->lock.try_lock());
    this->call(this->lock.locking(), this->never_called());
    this->call(this->lock.locking(), this->never_called());
    std::thread([&] { this->lock.unlock(); }).join();

    this->host->end_loop();

    this->expect_free();
    EXPECT_TRUE(this->callbacks_are_destroyed());
}

TYPED_TEST(EndScenarios, TheLoopsEndGivesBackWhatWasDoneAtOnce) {
    this->call(this->lock.locking(), this->never_called());
    EXPECT_FALSE(this->lock.try_lock());

    this->host->end_loop();

    this->expect_free();
    EXPECT_TRUE(this->callbacks_are_destroyed());
}

TYPED_TEST(EndScenarios, TheLoopsEndPassesAWakeUpToAThread) {
    AutoResetEvent signal;
    this->call(signal.waiting(), this->never_called());
    until_waiting(signal, 1);
    std::jthread other([&] { signal.wait(); });
    until_waiting(signal, 2);
    signal.set();  // to the loop, which is asleep

    this->host->end_loop();

    other.join();
    EXPECT_TRUE(this->callbacks_are_destroyed());
}

TYPED_TEST(EndScenarios, WhatWasPostedIsDestroyed) {
    this->host->post([mark = this->alive] { ADD_FAILURE(); });

    this->host->end_loop();

    EXPECT_TRUE(this->callbacks_are_destroyed());
    this->settle();
}

TYPED_TEST(EndScenarios, TheHostRunsOnWithoutTheLoop) {
    this->call(this->event.waiting(), 1ms, this->never_called());
    this->host->end_loop();
    int ran = 0;
    this->host->from_host([&] {
        ++ran;
        this->host->stop();
    });

    this->run();

    EXPECT_EQ(ran, 1);
}

TYPED_TEST(EndScenarios, AnotherLoopInTheSameHost) {
    for (int i = 0; i < 3; ++i) {
        this->results.clear();
        this->call(this->event.waiting(), this->never_called());
        this->host->end_loop();
        this->host->begin_loop();
        this->call(this->event.waiting(), 1ms, this->finish_after(1));

        this->run();

        EXPECT_EQ(this->results, std::vector{WaitResult::timed_out});
    }
}

TYPED_TEST(EndScenarios, TheHostsEndWithWaitsPending) {
    this->call(this->event.waiting(), 1h, this->never_called());
    this->call(this->lock.locking(), this->never_called());
    this->host->post([mark = this->alive] { ADD_FAILURE(); });

    this->host.reset();  // in the order in which a program ends

    EXPECT_EQ(waiting_at(this->event), 0u);
    EXPECT_TRUE(this->callbacks_are_destroyed());
    this->expect_free();
}

TYPED_TEST(EndScenarios, TheHostEndsFirst) {
    if constexpr (!TypeParam::may_end_first) {
        GTEST_SKIP() << "the host's rule";
    } else {
        this->call(this->event.waiting(), 1h, this->never_called());
        this->call(this->lock.locking(), this->never_called());

        this->host->end_host();
        std::thread([&] { this->event.set(); }).join();
        this->host.reset();

        EXPECT_TRUE(this->callbacks_are_destroyed());
        this->expect_free();
    }
}

TYPED_TEST(EndScenarios, ACallbackEndsTheLoop) {
    if constexpr (!TypeParam::may_end_in_job) {
        GTEST_SKIP() << "the host's rule";
    } else {
        this->call(this->event.waiting(), this->never_called());
        this->call(this->lock.locking(), [&](Guard) {
            this->host->end_loop();
            this->order += 'a';
            this->host->stop();
        });
        this->host->post([mark = this->alive] { ADD_FAILURE(); });

        this->run();

        EXPECT_EQ(this->order, "a");
        EXPECT_EQ(waiting_at(this->event), 0u);
        this->settle();
        EXPECT_TRUE(this->callbacks_are_destroyed());
        this->expect_free();
    }
}

TYPED_TEST(EndScenarios, ACallbackDestroysTheLoopsOwner) {
    if constexpr (!TypeParam::may_end_in_job) {
        GTEST_SKIP() << "the host's rule";
    } else {
        struct Owner {
            TypeParam& host;
            std::shared_ptr<int> mark;
            ~Owner() { host.end_loop(); }
        };
        std::unique_ptr<Owner> owner(new Owner{*this->host, this->alive});
        this->call(this->event.waiting(), this->never_called());
        this->call(this->event.waiting(), 1ms, [&](WaitResult) {
            owner.reset();
            this->host->stop();
        });

        this->run();

        this->settle();
        EXPECT_TRUE(this->callbacks_are_destroyed());
    }
}

TYPED_TEST(EndScenarios, AHostsEventEndsTheLoop) {
    if constexpr (!TypeParam::has_own_events) {
        GTEST_SKIP() << "no host of its own";
    } else {
        this->call(this->event.waiting(), 1h, this->never_called());
        this->host->from_host([&] {
            this->host->end_loop();
            this->host->stop();
        });

        this->run();

        EXPECT_EQ(waiting_at(this->event), 0u);
        this->settle();
    }
}

TYPED_TEST(EndScenarios, WhatTheEndDestroysMayPostAndWait) {
    struct AtEnd {
        explicit AtEnd(std::function<void()> function) : f(std::move(function)) {}
        AtEnd(AtEnd&& other) noexcept : f(std::exchange(other.f, nullptr)) {}
        ~AtEnd() {
            if (f) f();
        }
        std::function<void()> f;
    };
    if constexpr (!TypeParam::is_agent) {
        GTEST_SKIP() << "no agent";
    } else {
        AtEnd at_end([&] {
            this->host->post([mark = this->alive] { ADD_FAILURE(); });
            EXPECT_THROW(this->call(this->event.waiting(), this->never_called()), NoExecutor);
        });
        call_back(this->event.waiting(), [end = std::move(at_end)](WaitResult) { ADD_FAILURE(); });

        this->host->end_loop();

        EXPECT_EQ(waiting_at(this->event), 0u);
        EXPECT_TRUE(this->callbacks_are_destroyed());
    }
}

TYPED_TEST(EndScenarios, CoroutinesAreDestroyedWithWhatTheyHold) {
    if constexpr (!TypeParam::is_agent) {
        GTEST_SKIP() << "no agent";
    } else {
        const auto task = [&](std::shared_ptr<int> mark) -> Promise<void> {
            Guard guard = co_await this->lock.scoped_lock_async();
            co_await this->event.wait_async();
            ADD_FAILURE() << *mark;
        };
        task(this->alive).then([] { ADD_FAILURE(); });
        EXPECT_EQ(waiting_at(this->event), 1u);

        this->host->end_loop();

        EXPECT_TRUE(this->callbacks_are_destroyed());
        this->expect_free();
    }
}

TYPED_TEST(EndScenarios, CloseEndsWaitsAndKeepsJobs) {
    if constexpr (!TypeParam::is_agent) {
        GTEST_SKIP() << "no agent";
    } else {
        this->call(this->event.waiting(), this->never_called());
        int ran = 0;

        this->host->loop().close();
        this->host->post([&] {
            ++ran;
            this->host->stop();
        });

        EXPECT_EQ(waiting_at(this->event), 0u);
        EXPECT_TRUE(this->callbacks_are_destroyed());
        EXPECT_THROW(this->call(this->event.waiting(), this->never_called()), NoExecutor);
        this->run();
        EXPECT_EQ(ran, 1);
    }
}

}  // namespace futon::test
