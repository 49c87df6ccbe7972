// SPDX-License-Identifier: MIT
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <stop_token>

#include <futon/core/driver/await.hpp>
#include <futon/futon.hpp>

#include "support/gtest.hpp"

namespace {

using namespace std::chrono_literals;
using futon::AsyncLock;
using futon::EventLoop;
using futon::Promise;

/// What is reported once is reported in a process of its own, which is executed anew. It ends with 0, and what it printed is
/// compared.
class UnawaitedDeathTest : public testing::Test {
protected:
    void SetUp() override {
        GTEST_FLAG_SET(death_test_style, "threadsafe");
#ifndef FUTON_CHECKED
        GTEST_SKIP() << "this build does not check it";
#endif
    }
};

[[noreturn]] void finish_printing() {
    std::fputs("end\n", stderr);
    std::exit(0);
}

// All that the statement prints.
#define EXPECT_PRINTS(statement, text) \
    EXPECT_EXIT(                       \
        {                              \
            statement;                 \
            finish_printing();         \
        },                             \
        testing::ExitedWithCode(0), text "end")
#define NEVER_AWAITED(name) \
    "futon: an awaitable of futon::" name " was never awaited, so nothing has begun: write co_await\n"

TEST_F(UnawaitedDeathTest, NamesTheOperationOfAnAwaitable) {
    AsyncLock lock;

    EXPECT_PRINTS(static_cast<void>(lock.scoped_lock_async()), "^" NEVER_AWAITED("AsyncLock::lock"));
    EXPECT_PRINTS(static_cast<void>(lock.lock_async()), "^" NEVER_AWAITED("AsyncLock::lock"));
}

TEST_F(UnawaitedDeathTest, NamesItAlsoWithLimits) {
    AsyncLock lock;
    std::stop_source stop;

    EXPECT_PRINTS(static_cast<void>(lock.scoped_lock_async({5ms, stop.get_token()})),
                  "^" NEVER_AWAITED("AsyncLock::lock"));
}

TEST_F(UnawaitedDeathTest, NamesItOfAnyOperation) {
    futon::Event event;

    EXPECT_PRINTS(static_cast<void>(futon::await(event.waiting(), 5ms)), "^" NEVER_AWAITED("Event::wait"));
}

TEST_F(UnawaitedDeathTest, NamesASelect) {
    futon::Event event;

    EXPECT_PRINTS(static_cast<void>(futon::select_async(event.waiting(), futon::timeout(5ms))),
                  "^" NEVER_AWAITED("select_async"));
}

TEST_F(UnawaitedDeathTest, NamesSeveralLocks) {
    AsyncLock first;
    AsyncLock second;

    EXPECT_PRINTS(static_cast<void>(futon::lock_all_async(5ms, first, second)), "^" NEVER_AWAITED("lock_all_async"));
}

TEST_F(UnawaitedDeathTest, NamesACondition) {
    AsyncLock lock;
    futon::Condition condition;
    AsyncLock::Guard guard = lock.scoped_lock();

    EXPECT_PRINTS(static_cast<void>(condition.wait_async(guard)), "^" NEVER_AWAITED("Condition::wait"));
    EXPECT_PRINTS(static_cast<void>(condition.wait_async(guard, [] { return true; })),
                  "^" NEVER_AWAITED("Condition::wait"));
}

TEST_F(UnawaitedDeathTest, SaysItOnceForEachName) {
    AsyncLock lock;
    futon::Event event;
    const auto forget = [&] {
        for (int i = 0; i < 3; ++i) {
            static_cast<void>(lock.scoped_lock_async());
            static_cast<void>(event.wait_async());
        }
    };

    EXPECT_PRINTS(forget(), "^" NEVER_AWAITED("AsyncLock::lock") NEVER_AWAITED("Event::wait"));
}

Promise<void> await_each(AsyncLock& lock, futon::Condition& condition, futon::Event& event) {
    AsyncLock second;
    { auto guard = co_await lock.scoped_lock_async(5ms); }
    { auto guards = co_await futon::lock_all_async(lock, second); }
    auto guard = co_await lock.scoped_lock_async();
    (void)co_await condition.wait_async(guard, 1ms);
    (void)co_await condition.wait_async(guard, [] { return true; });
    (void)co_await event.wait_async(1ms);
    (void)co_await futon::select_async(event.waiting(), futon::timeout(1ms));
}

TEST_F(UnawaitedDeathTest, SaysNothingOfWhatWasAwaited) {
    const auto use = [] {
        EventLoop loop;
        AsyncLock lock;
        futon::Condition condition;
        futon::Event event;
        loop.run_until(await_each(lock, condition, event));
    };

    EXPECT_PRINTS(use(), "^");
}

TEST_F(UnawaitedDeathTest, SaysNothingWhereAnExceptionDestroysIt) {
    AsyncLock lock;
    const auto fail = [&] {
        try {
            auto locking = lock.scoped_lock_async();
            static_cast<void>(locking);
            throw std::runtime_error("before it is awaited");
        } catch (const std::runtime_error&) {
        }
    };

    EXPECT_PRINTS(fail(), "^");
}

TEST_F(UnawaitedDeathTest, SaysNothingWhereTheEndOfItsLoopDestroysIt) {
    AsyncLock lock;
    futon::Event never;
    const auto end_loop = [&] {
        std::optional<EventLoop> loop(std::in_place);
        const auto later = [&]() -> Promise<void> {
            auto locking = lock.scoped_lock_async();
            co_await never.wait_async();
            const auto guard = co_await locking;
        };
        static_cast<void>(later());
        loop.reset();
    };

    EXPECT_PRINTS(end_loop(), "^");
}

}  // namespace
