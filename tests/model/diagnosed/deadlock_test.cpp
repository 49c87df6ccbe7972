// SPDX-License-Identifier: MIT
#include <mutex>

#include <futon/diagnostics.hpp>
#include <futon/explorer.hpp>
#include <futon/futon.hpp>

#include "../explore.hpp"
#include "fibers.hpp"

// What the diagnostics see in the model: in each schedule with a circle it is found, once, and in no other. A circle that was not
// found would be a deadlock, which the explorer reports.
namespace {

using futon::AsyncLock;
using futon::EventLoop;
using futon::Promise;
using futon::diagnostics::DeadlockFound;
using futon::explorer::check;
using futon::explorer::join;
using futon::explorer::spawn;
using futon::test::expect_holds;

class ModelDiagnosed : public testing::Test {
protected:
    ModelDiagnosed() {
        futon::diagnostics::respond([](const futon::diagnostics::Report& report) {
            if (report.what == futon::diagnostics::What::deadlock) throw DeadlockFound(report.text);
        });
    }
    ~ModelDiagnosed() override { futon::test::let_reports_fail(); }
};

void lock_both(AsyncLock& first, AsyncLock& second, int& found) {
    try {
        const std::scoped_lock hold_first(first);
        const std::scoped_lock hold_second(second);
    } catch (const DeadlockFound&) {
        ++found;
    }
}

TEST_F(ModelDiagnosed, ACircleOfTwoThreadsIsFoundOnce) {
    int with_circle = 0;
    expect_holds("diagnosed, two threads in two orders", {.preemptions = 3}, [&] {
        AsyncLock one, other;
        int found = 0;
        spawn("one", [&] { lock_both(one, other, found); });
        spawn("other", [&] { lock_both(other, one, found); });
        join();
        check(found <= 1, "a circle is found once");
        check(one.try_lock() && other.try_lock(), "nothing is held because of it");
        one.unlock();
        other.unlock();
        with_circle += found;
    });
    EXPECT_GT(with_circle, 0);
}

TEST_F(ModelDiagnosed, ACircleOfThreeThreadsIsFoundOnce) {
    int with_circle = 0;
    expect_holds("diagnosed, three threads in a circle", {.preemptions = 2}, [&] {
        AsyncLock one, two, three;
        int found = 0;
        spawn("one", [&] { lock_both(one, two, found); });
        spawn("two", [&] { lock_both(two, three, found); });
        spawn("three", [&] { lock_both(three, one, found); });
        join();
        check(found <= 1, "a circle is found once");
        with_circle += found;
    });
    EXPECT_GT(with_circle, 0);
}

TEST_F(ModelDiagnosed, ACircleOfAThreadAndACoroutineIsFoundOnce) {
    int with_circle = 0;
    expect_holds("diagnosed, a thread and a coroutine in two orders", {.preemptions = 2}, [&] {
        AsyncLock one, other;
        int found = 0;
        spawn("thread", [&] { lock_both(one, other, found); });
        spawn("loop", [&] {
            EventLoop loop;
            const auto lock = [&]() -> Promise<void> {
                try {
                    const AsyncLock::Guard hold_other = co_await other.scoped_lock_async();
                    const AsyncLock::Guard hold_one = co_await one.scoped_lock_async();
                } catch (const DeadlockFound&) {
                    ++found;
                }
            };
            loop.run_until(lock());
        });
        join();
        check(found <= 1, "a circle is found once");
        with_circle += found;
    });
    EXPECT_GT(with_circle, 0);
}

}  // namespace
