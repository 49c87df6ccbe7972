// SPDX-License-Identifier: MIT
// What lasts too long: holds, waits, jobs of a loop, and offers.
#include <chrono>
#include <functional>
#include <latch>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>

#include <futon/diagnostics.hpp>
#include <futon/futon.hpp>

#include "reports.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using futon::AsyncLock;
using futon::EventLoop;
using futon::Promise;
using futon::diagnostics::What;
using futon::test::until;
using futon::test::until_after;

using Stalls = futon::test::Reports;

constexpr std::chrono::nanoseconds longest_offer{2 * futon::core::Pace::longest_turn};

TEST_F(Stalls, AHoldThatLasts) {
    futon::diagnostics::watch({.hold = 5ms});
    AsyncLock lock;
    futon::name(lock, "slow");
    const std::scoped_lock hold(lock);

    until([&] { return count(What::long_hold) > 0; });

    EXPECT_NE(text().find("\"slow\""), std::string::npos) << text();
    EXPECT_NE(text().find("acquired at stall_test.cpp"), std::string::npos) << text();
}

TEST_F(Stalls, AWaitThatLasts) {
    futon::diagnostics::watch({.wait = 5ms});
    AsyncLock lock;
    lock.lock();
    std::jthread thread([&] { const std::scoped_lock hold(lock); });

    until([&] { return count(What::long_wait) > 0; });

    lock.unlock();
    EXPECT_NE(text().find("has waited for AsyncLock"), std::string::npos) << text();
}

/// Not its loop's thread, which waits for nothing, nor the promise, which has no place.
TEST_F(Stalls, AForgottenSourceNamesTheCoroutine) {
    EventLoop loop;
    auto [promise, source] = futon::make_promise<int>();
    const auto read = [](Promise<int>& of_source) -> Promise<void> { static_cast<void>(co_await of_source); };
    const Promise<void> reading = read(promise);
    futon::diagnostics::watch({.wait = 5ms});

    until([&] { return count(What::long_wait) > 0; });
    futon::diagnostics::watch({});

    EXPECT_EQ(count(What::long_wait), 1U) << text();
    EXPECT_EQ(text().find("coroutine "), 0U) << text();
    EXPECT_NE(text().find("has waited for the promise at"), std::string::npos) << text();
    EXPECT_NE(text().find("waiting at stall_test.cpp:"), std::string::npos) << text();
    source.fulfil(1);
    loop.run();
}

TEST_F(Stalls, AForgottenSourceThatNoCoroutineAwaits) {
    EventLoop loop;
    auto [promise, source] = futon::make_promise<int>();
    futon::diagnostics::watch({.wait = 5ms});

    until([&] { return count(What::long_wait) > 0; });

    EXPECT_EQ(text().find("a promise or a callback of the loop of thread"), 0U) << text();
    EXPECT_NE(text().find("in futon::PromiseSource"), std::string::npos) << text();
    source.fulfil(1);
    loop.run();
}

TEST_F(Stalls, AreReportedOnce) {
    futon::diagnostics::watch({.hold = 2ms, .wait = 2ms});
    const auto wait_for = [this](AsyncLock& lock) {
        lock.lock();
        const std::size_t before = count(What::long_wait);
        std::jthread thread([&] { const std::scoped_lock hold(lock); });
        until([&] { return count(What::long_wait) > before; });
        lock.unlock();
    };
    AsyncLock first, second, third;
    first.lock();
    std::jthread thread([&] { const std::scoped_lock hold(first); });
    until([&] { return count(What::long_wait) > 0; });

    // Each look that reports the next ones has seen the first ones again.
    wait_for(second);
    wait_for(third);
    const std::size_t holds = count(What::long_hold), waits = count(What::long_wait);
    first.unlock();

    EXPECT_EQ(holds, 3U) << text();
    EXPECT_EQ(waits, 3U) << text();
}

TEST_F(Stalls, NoneThatIsShort) {
    futon::diagnostics::watch({.hold = 24h, .wait = 2ms});
    AsyncLock lock;
    lock.lock();
    std::jthread thread([&] { const std::scoped_lock hold(lock); });

    until([&] { return count(What::long_wait) > 0; });
    lock.unlock();

    EXPECT_EQ(count(What::long_hold), 0U) << text();
}

[[gnu::noinline]] void compute_until(const std::function<bool()>& is_over) {
    until(is_over);
}

TEST_F(Stalls, AJobThatLastsAndItsStack) {
    futon::diagnostics::watch({.job = 5ms});
    EventLoop loop;
    const auto compute = [&]() -> Promise<void> {
        co_await futon::sleep_for(0ms);
        // A job before this one may have been held up, and be reported only now.
        const std::size_t before = count(What::long_job);
        compute_until(
            [&] { return text().find("compute_until") != std::string::npos || count(What::long_job) > before + 1; });
    };
    const Promise<void> promise = compute();

    loop.run();

    EXPECT_NE(text().find("has run one job for"), std::string::npos) << text();
    EXPECT_NE(text().find("compute_until"), std::string::npos) << text();
}

/// A look reports holds before jobs, and ends before the next hold is reported.
TEST_F(Stalls, WhatATimerRunsAndThatLasts) {
    futon::diagnostics::watch({.hold = 5ms, .job = 5ms});
    EventLoop loop(futon::CanBlock::yes);
    loop.post_after(1ns, [&] {
        for (const std::size_t holds : {1, 2}) {
            AsyncLock lock;
            const std::scoped_lock hold(lock);
            until([&] { return count(What::long_hold) == holds; });
        }
    });

    loop.run();

    EXPECT_EQ(count(What::long_job), 1U) << text();
    EXPECT_NE(text().find("has run one job for"), std::string::npos) << text();
}

TEST_F(Stalls, TimersAreCountedAsJobs) {
    std::ostringstream dumped;
    std::jthread([&] {
        EventLoop loop;
        loop.post([] {});
        loop.post_after(1ns, [] {});
        loop.post_at(std::chrono::steady_clock::now(), [] {});
        loop.run();
        futon::diagnostics::dump(dumped);
    }).join();

    EXPECT_NE(dumped.str().find("has run 3 jobs"), std::string::npos) << dumped.str();
}

/// A lock, and a loop whose task waits for it while a job blocks the loop.
class BlockedLoop {
public:
    BlockedLoop() {
        futon::name(lock, "accounts");
        lock.lock();
        thread_ = std::jthread([this] {
            EventLoop loop;
            const Promise<void> taken = take();
            const Promise<void> blocked = block();
            loop.run();
        });
        is_in_job_.wait();
    }
    ~BlockedLoop() { may_end_.count_down(); }

    AsyncLock lock;

private:
    Promise<void> take() { const auto guard = co_await lock.scoped_lock_async(); }
    Promise<void> block() {
        co_await futon::sleep_for(0ms);
        is_in_job_.count_down();
        may_end_.wait();
    }

    std::latch is_in_job_{1}, may_end_{1};
    std::jthread thread_;
};

TEST_F(Stalls, AnOfferToALoopThatDoesNotCome) {
    futon::diagnostics::watch({.offers = true});
    BlockedLoop loop;

    for (int round = 0; round < 2; ++round) {
        loop.lock.unlock_fair();
        loop.lock.lock();  // when the offer has expired
    }
    until([&] { return count(What::expired_offer) > 0; });
    futon::diagnostics::watch({});

    EXPECT_EQ(count(What::expired_offer), 1u) << text();
    EXPECT_NE(text().find("AsyncLock \"accounts\""), std::string::npos) << text();
    EXPECT_NE(text().find("was kept for a waiter of the loop of thread"), std::string::npos) << text();
    EXPECT_NE(text().find("has run one job for"), std::string::npos) << text();
    loop.lock.unlock();
}

TEST_F(Stalls, AnOfferThatHadExpiredWhenAnotherCame) {
    futon::diagnostics::watch({.offers = true});
    BlockedLoop for_thread, for_task;
    for_thread.lock.unlock_fair();
    for_task.lock.unlock_fair();
    until_after(std::chrono::steady_clock::now() + longest_offer);

    ASSERT_TRUE(for_thread.lock.try_lock());
    until([&] { return count(What::expired_offer) == 1; });
    EventLoop loop;
    loop.run_until([](AsyncLock& lock) -> Promise<void> { co_await lock.lock_async(); }(for_task.lock));
    until([&] { return count(What::expired_offer) == 2; });

    for_thread.lock.unlock();
    for_task.lock.unlock();
}

}  // namespace
