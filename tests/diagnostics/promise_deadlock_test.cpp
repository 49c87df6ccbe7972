// SPDX-License-Identifier: MIT
// Deadlocks through what coroutines await: promises of other coroutines, and scopes.
#include <atomic>
#include <chrono>
#include <latch>
#include <mutex>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <utility>

#include <futon/diagnostics.hpp>
#include <futon/futon.hpp>
#include <futon/scope.hpp>
#include <futon/select.hpp>

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

class PromiseDeadlocks : public futon::test::Reports {
protected:
    static std::string dumped() {
        std::ostringstream out;
        futon::diagnostics::dump(out);
        return out.str();
    }

    static Promise<void> take(AsyncLock& lock) { const AsyncLock::Guard hold = co_await lock.scoped_lock_async(); }

    /// Holds one lock while it awaits a coroutine that wants the other. Says whether that was a deadlock.
    static Promise<bool> hold_and_await(AsyncLock& held, AsyncLock& wanted) {
        const AsyncLock::Guard hold = co_await held.scoped_lock_async();
        co_await futon::sleep_for(0ms);
        bool is_found = false;
        try {
            co_await take(wanted);
        } catch (const DeadlockFound&) {
            is_found = true;
        }
        co_return is_found;
    }
};

TEST_F(PromiseDeadlocks, ACoroutineThatAwaitsOneThatWantsWhatItHolds) {
    EventLoop loop;
    AsyncLock ledger;
    futon::name(ledger, "ledger");

    EXPECT_TRUE(loop.run_until(hold_and_await(ledger, ledger)));

    EXPECT_EQ(count(What::deadlock), 1U) << text();
    EXPECT_NE(text().find("a deadlock of 2 callers"), std::string::npos) << text();
    EXPECT_NE(text().find("waits in futon::Promise::co_await"), std::string::npos) << text();
    EXPECT_NE(text().find("until coroutine"), std::string::npos) << text();
    EXPECT_NE(text().find("has ended, called at promise_deadlock_test.cpp:"), std::string::npos) << text();
    EXPECT_NE(text().find("AsyncLock \"ledger\""), std::string::npos) << text();
    loop.run();  // what was awaited goes on
    EXPECT_TRUE(ledger.try_lock()) << "nothing is held because of it";
    ledger.unlock();
}

TEST_F(PromiseDeadlocks, AChainOfCoroutinesAndAThen) {
    EventLoop loop;
    AsyncLock ledger;
    int thrown = 0;
    const auto middle = [&]() -> Promise<int> {
        co_await take(ledger);
        co_return 7;
    };
    const auto outer = [&]() -> Promise<void> {
        const AsyncLock::Guard hold = co_await ledger.scoped_lock_async();
        try {
            co_await middle().then([](int seven) { return seven + 1; });
        } catch (const DeadlockFound&) {
            ++thrown;
        }
    };

    loop.run_until(outer());

    EXPECT_EQ(thrown, 1);
    EXPECT_NE(text().find("a deadlock of 4 callers"), std::string::npos) << text();
}

TEST_F(PromiseDeadlocks, TwoCoroutinesThatAwaitEachOther) {
    EventLoop loop;
    int thrown = 0;
    std::optional<Promise<void>> one, other;
    const auto await = [&](const std::optional<Promise<void>>& awaited) -> Promise<void> {
        co_await futon::sleep_for(0ms);
        try {
            co_await *awaited;
        } catch (const DeadlockFound&) {
            ++thrown;
        }
    };

    one.emplace(await(other));
    other.emplace(await(one));
    loop.run();

    EXPECT_EQ(thrown, 1);
    EXPECT_EQ(count(What::deadlock), 1U) << text();
}

TEST_F(PromiseDeadlocks, OfTwoLoops) {
    AsyncLock first, second;
    std::latch both(2);
    std::atomic<int> found{0};
    const auto run = [&](AsyncLock& held, AsyncLock& wanted) {
        EventLoop loop;
        const auto hold_both = [&]() -> Promise<void> {
            const AsyncLock::Guard hold = co_await held.scoped_lock_async();
            both.arrive_and_wait();
            try {
                co_await take(wanted);
            } catch (const DeadlockFound&) {
                ++found;
            }
        };
        loop.run_until(hold_both());
        loop.run();
    };
    {
        std::jthread one([&] { run(first, second); });
        std::jthread other([&] { run(second, first); });
    }

    EXPECT_EQ(found, 1);
    EXPECT_EQ(count(What::deadlock), 1U) << text();
}

TEST_F(PromiseDeadlocks, OfACoroutineAndAThread) {
    EventLoop loop;
    AsyncLock of_thread, of_coroutine;
    std::latch both(2);
    std::atomic<int> found{0};
    std::jthread thread([&] {
        const std::scoped_lock hold(of_thread);
        both.arrive_and_wait();
        try {
            const std::scoped_lock inner(of_coroutine);
        } catch (const DeadlockFound&) {
            ++found;
        }
    });
    const auto outer = [&]() -> Promise<void> {
        const AsyncLock::Guard hold = co_await of_coroutine.scoped_lock_async();
        both.arrive_and_wait();
        until_waiting(of_coroutine, 1);
        try {
            co_await take(of_thread);
        } catch (const DeadlockFound&) {
            ++found;
        }
    };

    loop.run_until(outer());
    thread.join();
    loop.run();

    EXPECT_EQ(found, 1);
    EXPECT_NE(text().find("a deadlock of 3 callers"), std::string::npos) << text();
}

TEST_F(PromiseDeadlocks, OfASelectThatIsAwaited) {
    EventLoop loop;
    AsyncLock first, second;
    int thrown = 0;
    const auto choose = [&]() -> Promise<void> {
        static_cast<void>(co_await futon::select_async(first.locking(), second.locking()));
    };
    const auto outer = [&]() -> Promise<void> {
        const AsyncLock::Guard hold = co_await first.scoped_lock_async();
        const AsyncLock::Guard other = co_await second.scoped_lock_async();
        try {
            co_await choose();
        } catch (const DeadlockFound&) {
            ++thrown;
        }
    };

    loop.run_until(outer());
    loop.run();

    EXPECT_EQ(thrown, 1);
    EXPECT_EQ(count(What::deadlock), 1U) << text();
}

TEST_F(PromiseDeadlocks, NoneIfOneArmOfTheAwaitedSelectMayGoOn) {
    EventLoop loop;
    AsyncLock lock;
    futon::Event event;
    const auto choose = [&]() -> Promise<void> {
        static_cast<void>(co_await futon::select_async(lock.locking(), event.waiting()));
    };
    const auto outer = [&]() -> Promise<void> {
        const AsyncLock::Guard hold = co_await lock.scoped_lock_async();
        loop.post([&] { event.set(); });
        co_await choose();
    };

    loop.run_until(outer());

    EXPECT_EQ(count(What::deadlock), 0U) << text();
}

TEST_F(PromiseDeadlocks, OfAllAndOfARace) {
    EventLoop loop;
    AsyncLock lock;
    futon::Event event;
    int thrown = 0;
    const auto outer = [&](bool is_race) -> Promise<void> {
        const AsyncLock::Guard hold = co_await lock.scoped_lock_async();
        try {
            if (is_race)
                static_cast<void>(co_await futon::race(take(lock), take(lock)));
            else
                static_cast<void>(co_await futon::all(futon::fulfilled(), take(lock)));
        } catch (const DeadlockFound&) {
            ++thrown;
        }
    };
    loop.run_until(outer(false));
    loop.run();
    EXPECT_EQ(thrown, 1) << text();
    loop.run_until(outer(true));
    loop.run();
    EXPECT_EQ(thrown, 2) << text();

    const auto wait = [&]() -> Promise<void> { co_await event.wait_async(); };
    const auto one_may_go_on = [&]() -> Promise<void> {
        const AsyncLock::Guard hold = co_await lock.scoped_lock_async();
        static_cast<void>(co_await futon::race(wait(), take(lock)));
    };
    loop.post([&] { event.set(); });
    loop.run_until(one_may_go_on());
    loop.run();
    EXPECT_EQ(count(What::deadlock), 2U) << text();
}

TEST_F(PromiseDeadlocks, NoneWhereADeadlineEndsTheWait) {
    EventLoop loop;
    AsyncLock lock;
    const auto try_it = [&]() -> Promise<bool> { co_return (co_await lock.scoped_lock_async(1ms)).owns_lock(); };
    const auto outer = [&]() -> Promise<bool> {
        const AsyncLock::Guard hold = co_await lock.scoped_lock_async();
        co_return co_await try_it();
    };

    EXPECT_FALSE(loop.run_until(outer()));
    EXPECT_EQ(count(What::deadlock), 0U) << text();
}

TEST_F(PromiseDeadlocks, NoneWhereAThreadFulfilsThePromise) {
    EventLoop loop;
    AsyncLock lock;
    auto made = futon::make_promise<int>();
    std::jthread thread;
    const auto outer = [&]() -> Promise<int> {
        const AsyncLock::Guard hold = co_await lock.scoped_lock_async();
        thread = std::jthread([&] {
            made.second.fulfil(7);
            const std::scoped_lock inner(lock);
        });
        co_return co_await std::move(made.first);
    };

    EXPECT_EQ(loop.run_until(outer()), 7);
    EXPECT_EQ(count(What::deadlock), 0U) << text();
}

TEST_F(PromiseDeadlocks, ACoroutineThatAwaitsItself) {
    EventLoop loop;
    std::optional<Promise<void>> own;
    const auto await_own = [&]() -> Promise<void> {
        co_await futon::sleep_for(0ms);
        EXPECT_THROW(co_await *own, DeadlockFound);
    };
    own = await_own();

    loop.run();

    EXPECT_NE(text().find("a deadlock: a coroutine waits for its own end"), std::string::npos) << text();
}

class ScopeDeadlocks : public PromiseDeadlocks, public testing::WithParamInterface<bool> {};

/// A limit of the join requests a stop of the children. It does not end the wait for them.
TEST_P(ScopeDeadlocks, AScopeIsReportedAndGoesOn) {
    EventLoop loop;
    AsyncLock lock;
    int reported = 0;
    futon::diagnostics::respond([&](const futon::diagnostics::Report& report) {
        EXPECT_NE(report.text.find("waits in futon::Scope::join"), std::string::npos) << report.text;
        ++reported;
        lock.unlock();  // so that the child goes on
        throw DeadlockFound("dropped");
    });
    const auto outer = [&]() -> Promise<void> {
        futon::Scope scope;
        co_await lock.lock_async();
        scope.spawn([&]() -> Promise<void> { return take(lock); });
        co_await scope.join(GetParam() ? futon::Limits(24h) : futon::Limits());
    };

    loop.run_until(outer());

    EXPECT_EQ(reported, 1);
}

INSTANTIATE_TEST_SUITE_P(Limited, ScopeDeadlocks, testing::Bool());

TEST_F(PromiseDeadlocks, TheDumpSaysWhatAPromiseWaitsFor) {
    AsyncLock lock;
    lock.lock();
    EventLoop loop;
    const auto outer = [&]() -> Promise<void> { co_await take(lock); };
    const Promise<void> promise = outer();

    const std::string text = dumped();

    EXPECT_NE(text.find("Promise at "), std::string::npos) << text;
    EXPECT_NE(text.find("settled by the end of coroutine"), std::string::npos) << text;
    EXPECT_NE(text.find("in futon::Promise::co_await"), std::string::npos) << text;
    lock.unlock();
    loop.run();
    EXPECT_EQ(dumped().find("Promise at "), std::string::npos) << dumped();
}

TEST_F(PromiseDeadlocks, AwaitedPromisesAreNoLongWaits) {
    AsyncLock lock;
    lock.lock();
    EventLoop loop;
    const auto outer = [&]() -> Promise<void> { co_await take(lock); };
    const Promise<void> promise = outer();
    futon::diagnostics::watch({.wait = 1ms});

    futon::test::until([&] { return count(What::long_wait) == 1; });

    EXPECT_NE(text().find("has waited for AsyncLock"), std::string::npos) << text();
    futon::diagnostics::watch({});
    lock.unlock();
    loop.run();
    EXPECT_EQ(count(What::long_wait), 1U) << text();
}

}  // namespace
