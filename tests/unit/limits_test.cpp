// SPDX-License-Identifier: MIT
// A duration counts from each call that it is given to; a deadline does not move, and is compared as a time point is. A
// stop token stays valid in limits, in each expression that makes them.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <stop_token>
#include <type_traits>
#include <utility>

#include <futon/atomics.hpp>
#include <futon/event_loop.hpp>
#include <futon/limits.hpp>
#include <futon/sync/async_lock.hpp>
#include <futon/sync/semaphore.hpp>

#include "support/gtest.hpp"

namespace {

using namespace std::chrono_literals;
using futon::Deadline;
using futon::Limits;
using futon::WaitResult;
using Clock = std::chrono::steady_clock;

struct Options {
    Limits timeout = 1h;
};

void let_the_clock_go_on() {
    const Clock::time_point now = Clock::now();
    while (Clock::now() == now) {
    }
}

TEST(Limits, OfADurationCountsFromEachCall) {
    const Options options;
    const Deadline first = options.timeout.deadline();
    let_the_clock_go_on();

    const Clock::time_point before = Clock::now();
    const Deadline second = options.timeout.deadline();

    EXPECT_GT(second, first);
    EXPECT_GE(second.time_point(), before + 1h);
}

TEST(Limits, OfADeadlineDoesNotMove) {
    const Deadline deadline(1h);
    const Limits limit = deadline;
    let_the_clock_go_on();

    EXPECT_EQ(limit.deadline(), deadline);
}

TEST(Limits, TakesTimePointsOfTheSteadyClockInAnyUnit) {
    const Clock::time_point now = Clock::now();

    EXPECT_EQ(Limits(now).deadline().time_point(), now);
    EXPECT_GE(Limits(now + 1.5s).deadline().time_point(), now + 1500ms);
    EXPECT_LE(Limits(now + 1.5s).deadline().time_point(), now + 1501ms);
}

TEST(Limits, GivesUpAtOnceAfterNoTime) {
    for (const Limits& limit : {Limits(0ns), Limits(-1h), Limits(-1.5s)}) {
        EXPECT_TRUE(limit.deadline().is_due());
    }
}

TEST(Limits, IsNoneForWhatIsTooLongForTheClock) {
    const std::chrono::duration<double> infinite(std::numeric_limits<double>::infinity());
    const std::chrono::duration<double> not_a_number(std::numeric_limits<double>::quiet_NaN());

    EXPECT_TRUE(Limits(infinite).deadline().is_never());
    EXPECT_TRUE(Limits(not_a_number).deadline().is_never());
    EXPECT_TRUE(Limits(std::chrono::hours::max()).deadline().is_never());
    EXPECT_TRUE(Limits(std::chrono::nanoseconds::max()).deadline().is_never());
    EXPECT_TRUE(Limits(Deadline::never()).deadline().is_never());
}

TEST(Limits, OfAMemberLimitsEachWait) {
    std::atomic<int> word{0};
    struct {
        Limits timeout = 1ms;
    } const options;

    for (int i = 0; i < 3; ++i) {
        const Clock::time_point begin = Clock::now();
        EXPECT_EQ(futon::wait(word, 0, options.timeout), WaitResult::timed_out);
        EXPECT_GE(Clock::now() - begin, 1ms);
    }
}

TEST(Limits, AreNoneUnlessGiven) {
    const Limits none;
    const Limits empty = {};

    EXPECT_FALSE(none.has_deadline());
    EXPECT_TRUE(empty.deadline().is_never());
    EXPECT_FALSE(none.stop().stop_possible());
}

TEST(Limits, AreATimeAStopOrBoth) {
    std::stop_source source;
    const Deadline deadline(1h);
    const Limits stop = source.get_token();
    const Limits both = {deadline, source.get_token()};
    const Limits of_a_duration = {1h, source.get_token()};
    const Limits of_a_time_point = {deadline.time_point(), source.get_token()};

    EXPECT_FALSE(stop.has_deadline());
    EXPECT_EQ(both.deadline(), deadline);
    EXPECT_GE(of_a_duration.deadline(), deadline);
    EXPECT_EQ(of_a_time_point.deadline(), deadline);
    source.request_stop();
    for (const Limits* limits : {&stop, &both, &of_a_duration, &of_a_time_point})
        EXPECT_TRUE(limits->stop().stop_requested());
}

TEST(Limits, FromNowHaveADeadlineInsteadOfADuration) {
    std::stop_source source;
    const Limits limits(1h, source.get_token());

    const Limits shared = limits.from_now();
    const Deadline first = shared.deadline();
    let_the_clock_go_on();

    EXPECT_EQ(shared.deadline(), first);
    EXPECT_EQ(shared.stop(), source.get_token());
    EXPECT_GT(limits.deadline(), first);
    EXPECT_FALSE(Limits(source.get_token()).from_now().has_deadline());
}

TEST(Limits, AreMadeBeforeMainOfWhatIsConstant) {
    static constinit Limits member = 1ms;

    EXPECT_TRUE(member.has_deadline());
}

/// Locks by limits made within awaited expressions of each form, and gives up in each.
futon::Promise<int> await_in_each_form(futon::AsyncLock& lock, futon::Semaphore& semaphore, std::stop_token stop) {
    int given_up = 0;
    const Limits kept(1h, stop);
    const auto count = [&](const futon::AsyncLock::Guard& guard) { given_up += guard ? 0 : 1; };
    count(co_await lock.scoped_lock_async({1h, stop}));
    count(co_await lock.scoped_lock_async({1h, std::stop_token(stop)}));
    count(co_await lock.scoped_lock_async(stop));
    count(co_await lock.scoped_lock_async(kept));
    count(co_await lock.scoped_lock_async(Limits(1h, stop)));
    if (const auto guard = co_await lock.scoped_lock_async({1h, stop}); !guard) ++given_up;
    while (!co_await lock.scoped_lock_async({1h, stop}) && given_up < 7) ++given_up;
    for (int i = 0; i < 2; ++i) given_up += (co_await lock.scoped_lock_async({1h, stop})).owns_lock() ? 0 : 1;
    if (co_await semaphore.acquire_async(1, {1h, stop}) == WaitResult::cancelled) ++given_up;
    const auto permits = co_await semaphore.scoped_acquire_async({1h, stop});
    auto awaitable = lock.scoped_lock_async({1h, stop});
    count(co_await awaitable);
    co_return given_up + (permits ? 0 : 1);
}

// Compilers have destroyed what is made within an awaited expression twice, or never: AddressSanitizer tells.
TEST(Limits, WithinAnAwaitedExpressionAreDestroyedOnce) {
    futon::EventLoop loop;
    futon::AsyncLock lock;
    futon::Semaphore semaphore;
    lock.try_lock();
    std::stop_source source;

    auto promise = await_in_each_form(lock, semaphore, source.get_token());
    loop.post([&] { source.request_stop(); });

    EXPECT_EQ(loop.run_until(promise), 12);
    EXPECT_TRUE(source.stop_requested());
}

TEST(Limits, WithinAnAwaitedExpressionEndWithTheLoop) {
    futon::AsyncLock lock;
    futon::Semaphore semaphore;
    lock.lock();
    std::stop_source source;
    {
        futon::EventLoop loop;
        static_cast<void>(await_in_each_form(lock, semaphore, source.get_token()));
    }

    EXPECT_TRUE(source.request_stop());
}

TEST(Deadline, IsNotMadeOfADurationByAccident) {
    EXPECT_FALSE((std::is_convertible_v<std::chrono::milliseconds, Deadline>));
    EXPECT_TRUE((std::is_constructible_v<Deadline, std::chrono::milliseconds>));
    EXPECT_TRUE((std::is_convertible_v<std::chrono::milliseconds, Limits>));
}

TEST(Deadline, IsMadeOfSteadyTimePointsInAnyUnit) {
    const Clock::time_point now = Clock::now();
    const Deadline deadline = now + 1.5s;

    EXPECT_GE(deadline.time_point(), now + 1500ms);
    EXPECT_LE(deadline.time_point(), now + 1501ms);
}

TEST(Deadline, IsOrderedByTime) {
    const Deadline sooner(1h);
    const Deadline later(2h);

    EXPECT_LT(sooner, later);
    EXPECT_LT(Deadline(0ns), sooner);
    EXPECT_EQ(std::min(later, sooner), sooner);
    EXPECT_EQ(std::max(sooner, Deadline::never()), Deadline::never());
}

}  // namespace
