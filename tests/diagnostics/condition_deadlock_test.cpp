// SPDX-License-Identifier: MIT
// Circles that a waiter of a Condition closes on its way back to its lock.
#include <chrono>
#include <mutex>
#include <stop_token>
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
using futon::diagnostics::DeadlockFound;
using futon::diagnostics::What;
using futon::test::until_waiting;

/// One caller holds `ledger` and waits at the condition with `accounts`; another one locks them the other way round meanwhile.
class ConditionDeadlocks : public futon::test::Reports {
protected:
    ConditionDeadlocks() { futon::name(accounts, "accounts"); }

    void lock_both() {
        until_waiting(condition, 1);
        const std::scoped_lock first(accounts);
        const std::scoped_lock second(ledger);
    }

    AsyncLock accounts, ledger;
    futon::Condition condition;
};

TEST_F(ConditionDeadlocks, AStopSendsAThreadToItsLock) {
    std::stop_source stop;
    std::jthread other([&] { lock_both(); }), stopper([&] {
        until_waiting(ledger, 1);
        stop.request_stop();
    });
    {
        const std::scoped_lock hold(ledger);
        std::unique_lock lock(accounts);
        EXPECT_THROW(static_cast<void>(condition.wait(lock, stop.get_token())), DeadlockFound);
    }
    other.join();

    EXPECT_EQ(count(What::deadlock), 1U) << text();
    EXPECT_NE(text().find("waits in futon::Condition::wait for AsyncLock \"accounts\""), std::string::npos) << text();
}

/// Nothing can throw where a task's wait goes on, so the report ends the deadlock.
TEST_F(ConditionDeadlocks, AStopSendsACoroutineToItsLock) {
    std::stop_source stop;
    int reported = 0;
    futon::diagnostics::respond([&](const futon::diagnostics::Report& report) {
        if (report.what != What::deadlock) return;
        EXPECT_NE(report.text.find("waits in futon::Condition::wait for AsyncLock"), std::string::npos) << report.text;
        ++reported;
        ledger.unlock();
    });
    EventLoop loop;
    std::jthread other([&] { lock_both(); }), stopper([&] {
        until_waiting(ledger, 1);
        stop.request_stop();
    });
    const auto wait = [&]() -> Promise<void> {
        co_await ledger.lock_async();
        AsyncLock::Guard guard = co_await accounts.scoped_lock_async();
        static_cast<void>(co_await condition.wait_async(guard, stop.get_token()));
    };

    loop.run_until(wait());

    EXPECT_EQ(reported, 1);
}

TEST_F(ConditionDeadlocks, ANotificationMovesAThreadToItsLock) {
    std::jthread waiter([&] {
        ledger.lock();
        std::unique_lock lock(accounts);
        condition.wait(lock);
    });
    std::jthread other([&] { lock_both(); });
    until_waiting(ledger, 1);

    EXPECT_EQ(condition.notify_one(), 1U);

    EXPECT_EQ(count(What::deadlock), 1U) << text();
    EXPECT_NE(text().find("waits in futon::Condition::wait for AsyncLock \"accounts\""), std::string::npos) << text();
    ledger.unlock();
}

TEST_F(ConditionDeadlocks, NoneOfAWaiterThatIsServed) {
    std::jthread waiter([&] {
        std::unique_lock lock(accounts);
        condition.wait(lock);
    });
    until_waiting(condition, 1);
    {
        const std::scoped_lock hold(accounts);
        EXPECT_EQ(condition.notify_one(), 1U);
    }
    waiter.join();

    EXPECT_EQ(count(What::deadlock), 0U) << text();
}

}  // namespace
