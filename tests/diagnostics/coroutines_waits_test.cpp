// SPDX-License-Identifier: MIT
// The waits of coroutines that take several steps: at a condition, and for several locks.
#include <chrono>
#include <sstream>
#include <string>

#include <futon/diagnostics.hpp>
#include <futon/futon.hpp>

#include "reports.hpp"

namespace {

using namespace std::chrono_literals;
using futon::AsyncLock;
using futon::EventLoop;
using futon::Promise;
using futon::diagnostics::DeadlockFound;
using futon::diagnostics::What;

class CoroutinesWaits : public futon::test::Reports {
protected:
    static std::string dumped() {
        std::ostringstream out;
        futon::diagnostics::dump(out);
        return out.str();
    }
};

TEST_F(CoroutinesWaits, AConditionsWaitIsTheCoroutines) {
    EventLoop loop;
    AsyncLock lock;
    futon::Condition condition;
    futon::name(condition, "full");
    bool is_set = false;
    const auto wait = [&]() -> Promise<void> {
        AsyncLock::Guard guard = co_await lock.scoped_lock_async();
        static_cast<void>(co_await condition.wait_async(guard, [&] { return is_set; }));
    };
    const Promise<void> promise = wait();

    const std::string text = dumped();

    EXPECT_NE(text.find("\"full\""), std::string::npos) << text;
    EXPECT_NE(text.find("waited for by coroutine"), std::string::npos) << text;
    is_set = true;
    condition.notify_all();
    loop.run();
    EXPECT_TRUE(promise.is_settled());
}

TEST_F(CoroutinesWaits, LockAllIsTheCoroutines) {
    AsyncLock locks[2];
    locks[1].lock();  // the last in the order of addresses
    EventLoop loop;
    const auto lock_both = [&]() -> Promise<void> {
        const auto guard = co_await futon::lock_all_async(locks[0], locks[1]);
        EXPECT_NE(dumped().find("held by coroutine"), std::string::npos) << dumped();
    };
    const Promise<void> promise = lock_both();

    const std::string text = dumped();

    EXPECT_NE(text.find("held by coroutine"), std::string::npos) << text;
    EXPECT_NE(text.find("waited for by coroutine"), std::string::npos) << text;
    EXPECT_NE(text.find("in futon::lock_all_async"), std::string::npos) << text;
    locks[1].unlock();
    loop.run();
    EXPECT_EQ(dumped().find("held by"), std::string::npos) << dumped();
}

TEST_F(CoroutinesWaits, OfACoroutineThatLocksAll) {
    EventLoop loop;
    AsyncLock locks[3];
    int thrown = 0;
    const auto lock_two = [&](AsyncLock& held, AsyncLock& one, AsyncLock& other) -> Promise<void> {
        const AsyncLock::Guard hold = co_await held.scoped_lock_async();
        co_await futon::sleep_for(0ms);
        try {
            const auto both = co_await futon::lock_all_async(one, other);
        } catch (const DeadlockFound&) {
            ++thrown;
        }
    };

    const Promise<void> one = lock_two(locks[0], locks[1], locks[2]);
    const Promise<void> other = lock_two(locks[1], locks[0], locks[2]);
    loop.run();

    EXPECT_EQ(thrown, 1);
    EXPECT_EQ(count(What::deadlock), 1U) << text();
}

TEST_F(CoroutinesWaits, AtALaterLockOfLockAllItIsReportedAndNotThrown) {
    AsyncLock locks[2];
    AsyncLock own;
    locks[0].lock();
    EventLoop loop;
    int reported = 0;
    futon::diagnostics::respond([&](const futon::diagnostics::Report& report) {
        if (report.what != What::deadlock) return;
        ++reported;
        locks[1].unlock();  // so that they go on
    });
    const auto all = [&]() -> Promise<void> {
        const AsyncLock::Guard hold = co_await own.scoped_lock_async();
        const auto guard = co_await futon::lock_all_async(locks[0], locks[1]);
    };
    const auto other = [&]() -> Promise<void> {
        co_await locks[1].lock_async();
        const AsyncLock::Guard inner = co_await own.scoped_lock_async();
    };
    const Promise<void> first = all();     // waits for the first of the two
    const Promise<void> second = other();  // holds the second
    locks[0].unlock();
    loop.run();

    EXPECT_EQ(reported, 1);
    EXPECT_TRUE(first.is_settled() && second.is_settled());
}

}  // namespace
