// SPDX-License-Identifier: MIT
// What holds for each way of waiting, whatever is waited for.
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <futon/futon.hpp>

#include "support/coroutines.hpp"
#include "support/gtest.hpp"
#include "support/wait_subjects.hpp"
#include "support/waiting.hpp"
#include "support/waiting_coroutines.hpp"

namespace {

using namespace std::chrono_literals;
using futon::AutoResetEvent;
using futon::CanBlock;
using futon::Deadline;
using futon::Event;
using futon::EventLoop;
using futon::Promise;
using futon::promise_of;
using futon::Semaphore;
using futon::WaitResult;
using futon::test::ALatch;
using futon::test::AnAutoResetEvent;
using futon::test::AnEvent;
using futon::test::APermit;
using futon::test::APhase;
using futon::test::OwnedCoroutine;
using futon::test::until_waiting;
using futon::test::wait_owned;
using futon::test::wait_promised;
using futon::test::waiting_at;

struct Names {
    template <class Subject>
    static std::string GetName(int) {
        return Subject::name;
    }
};

template <class Subject>
class WaitWays : public testing::Test {
protected:
    WaitWays() { stopped_.request_stop(); }

    /// A stop that is requested already.
    std::stop_token stopped() const { return stopped_.get_token(); }

    /// That the first waiter to come from now on need not wait, and the second must where that `is_used_up`.
    static void expect_passes_one(Subject& subject) {
        EXPECT_EQ(waiting_at(subject), 0u);
        EXPECT_TRUE(subject.try_wait());
        EXPECT_EQ(subject.try_wait(), !Subject::is_used_up);
    }

    /// That no more pass than were let.
    static void expect_no_more(Subject& subject) {
        EXPECT_EQ(waiting_at(subject), 0u);
        EXPECT_EQ(subject.try_wait(), !Subject::is_used_up);
    }

    /// One that a waiter need not wait for.
    struct Ready : Subject {
        Ready() { this->let_pass(1); }
    };

private:
    std::stop_source stopped_;
};

using Subjects = testing::Types<AnEvent, AnAutoResetEvent, ALatch, APhase, APermit>;
TYPED_TEST_SUITE(WaitWays, Subjects, Names);

TYPED_TEST(WaitWays, ATryWaitsForNothing) {
    TypeParam subject;
    EXPECT_FALSE(subject.try_wait());

    subject.let_pass(1);

    this->expect_passes_one(subject);
}

TYPED_TEST(WaitWays, AThreadACoroutineAPromiseAndASelectPass) {
    EventLoop loop;
    TypeParam subject;
    auto promise = promise_of(subject.waiting());
    auto coroutine = wait_promised(subject);
    auto select = [&]() -> Promise<std::size_t> {
        const auto chosen = co_await futon::select_async(subject.waiting(), futon::timeout(1h));
        co_return chosen.index();
    };
    auto selected = select();
    WaitResult blocked = WaitResult::timed_out;
    {
        const std::jthread thread([&] { blocked = subject.wait(); });
        until_waiting(subject, 4);
        EXPECT_FALSE(subject.try_wait());

        subject.let_pass(4);

        EXPECT_EQ(loop.run_until(promise), WaitResult::ok);
        EXPECT_EQ(loop.run_until(coroutine), WaitResult::ok);
        EXPECT_EQ(loop.run_until(selected), 0u);
    }
    EXPECT_EQ(blocked, WaitResult::ok);
    this->expect_no_more(subject);
}

TYPED_TEST(WaitWays, ThreadsThatAreBlockedPass) {
    TypeParam subject;
    std::vector<WaitResult> blocked(3, WaitResult::timed_out);
    {
        const std::jthread a([&] { blocked[0] = subject.wait(); });
        const std::jthread b([&] { blocked[1] = subject.wait(1h); });
        const std::jthread c([&] { blocked[2] = subject.wait(std::stop_source().get_token()); });
        until_waiting(subject, 3);

        subject.let_pass(3);
    }
    EXPECT_EQ(blocked, std::vector<WaitResult>(3, WaitResult::ok));
    this->expect_no_more(subject);
}

TYPED_TEST(WaitWays, TasksPassInTheOrderOfTheQueue) {
    EventLoop loop;
    TypeParam subject;
    std::vector<int> order;
    auto wait = [&](int number) -> Promise<void> {
        EXPECT_EQ(co_await subject.wait_async(), WaitResult::ok);
        order.push_back(number);
    };
    const auto a = wait(1);
    const auto b = wait(2);
    auto c = wait(3);

    subject.let_pass(3);
    loop.run_until(c);

    EXPECT_EQ(order, (std::vector<int>{1, 2, 3}));
}

TYPED_TEST(WaitWays, WhatIsThereCountsBeforeADeadlineAndAStopThatHaveCome) {
    EventLoop loop(CanBlock::yes);
    using ReadyOne = typename TestFixture::Ready;

    EXPECT_EQ(ReadyOne().wait(0ms), WaitResult::ok);
    EXPECT_EQ(ReadyOne().wait(this->stopped()), WaitResult::ok);
    EXPECT_EQ(ReadyOne().wait({0ms, this->stopped()}), WaitResult::ok);
    ReadyOne awaited[3];
    EXPECT_EQ(loop.run_until(wait_promised(awaited[0], 0ms)), WaitResult::ok);
    EXPECT_EQ(loop.run_until(wait_promised(awaited[1], this->stopped())), WaitResult::ok);
    EXPECT_EQ(loop.run_until(wait_promised(awaited[2], {0ms, this->stopped()})), WaitResult::ok);
    ReadyOne promised;
    EXPECT_EQ(loop.run_until(promise_of(promised.waiting(), {0ms, this->stopped()})), WaitResult::ok);

    for (ReadyOne& ready : awaited) this->expect_no_more(ready);
    this->expect_no_more(promised);
}

TYPED_TEST(WaitWays, ADeadlineAndAStopThatHaveComeEndAWaitAtOnce) {
    EventLoop loop(CanBlock::yes);
    TypeParam subject;

    EXPECT_EQ(subject.wait(0ms), WaitResult::timed_out);
    EXPECT_EQ(subject.wait({1h, this->stopped()}), WaitResult::cancelled);
    EXPECT_EQ(subject.wait(this->stopped()), WaitResult::cancelled);
    EXPECT_EQ(loop.run_until(wait_promised(subject, 0ms)), WaitResult::timed_out);
    EXPECT_EQ(loop.run_until(wait_promised(subject, {1h, this->stopped()})), WaitResult::cancelled);
    EXPECT_EQ(loop.run_until(wait_promised(subject, this->stopped())), WaitResult::cancelled);
    EXPECT_EQ(loop.run_until(promise_of(subject.waiting(), 0ms)), WaitResult::timed_out);

    EXPECT_EQ(waiting_at(subject), 0u);
    subject.let_pass(1);
    this->expect_passes_one(subject);
}

TYPED_TEST(WaitWays, AStopEndsTheWaitsThatAreUnderWay) {
    EventLoop loop;
    TypeParam subject;
    std::stop_source stop;
    auto promise = promise_of(subject.waiting(), stop.get_token());
    auto coroutine = wait_promised(subject, stop.get_token());
    std::vector<WaitResult> blocked(2, WaitResult::ok);
    {
        const std::jthread a([&] { blocked[0] = subject.wait(stop.get_token()); });
        const std::jthread b([&] { blocked[1] = subject.wait({1h, stop.get_token()}); });
        until_waiting(subject, 4);
        stop.request_stop();
    }
    EXPECT_EQ(blocked, std::vector<WaitResult>(2, WaitResult::cancelled));
    EXPECT_EQ(loop.run_until(promise), WaitResult::cancelled);
    EXPECT_EQ(loop.run_until(coroutine), WaitResult::cancelled);

    subject.let_pass(1);
    this->expect_passes_one(subject);
}

TYPED_TEST(WaitWays, ADeadlineEndsTheWaitsThatAreUnderWay) {
    TypeParam subject;
    {
        EventLoop loop;
        auto promise = promise_of(subject.waiting(), 1ms);
        auto coroutine = wait_promised(subject, 1ms);
        EXPECT_EQ(loop.run_until(promise), WaitResult::timed_out);
        EXPECT_EQ(loop.run_until(coroutine), WaitResult::timed_out);
    }
    EXPECT_EQ(subject.wait(1ms), WaitResult::timed_out);

    subject.let_pass(1);
    this->expect_passes_one(subject);
}

TYPED_TEST(WaitWays, ASelectTakesWhatIsThere) {
    TypeParam absent;
    typename TestFixture::Ready ready;

    EXPECT_EQ(futon::select(absent.waiting(), ready.waiting()).index(), 1u);
    EXPECT_EQ(futon::select(absent.waiting(), futon::timeout(1ms)).index(), 1u);

    EXPECT_EQ(waiting_at(absent), 0u);
    this->expect_no_more(ready);
}

TYPED_TEST(WaitWays, ASelectLeavesWhatItDoesNotChoose) {
    typename TestFixture::Ready first;
    typename TestFixture::Ready second;

    EXPECT_EQ(futon::select(futon::in_order, first.waiting(), second.waiting()).index(), 0u);

    this->expect_no_more(first);
    this->expect_passes_one(second);
}

TYPED_TEST(WaitWays, ACoroutineThatIsDestroyedAndAPromiseThatIsDroppedWaitNoMore) {
    EventLoop loop;
    TypeParam subject;
    std::optional<WaitResult> result;
    {
        const OwnedCoroutine destroyed = wait_owned(subject, result);
        const auto dropped = promise_of(subject.waiting());
        EXPECT_EQ(waiting_at(subject), 2u);
    }
    EXPECT_EQ(waiting_at(subject), 0u);

    subject.let_pass(1);

    this->expect_passes_one(subject);
    EXPECT_FALSE(result);
}

TYPED_TEST(WaitWays, WhatACoroutineHadGotThatIsDestroyedGoesToTheNext) {
    EventLoop loop;
    TypeParam subject;
    std::optional<WaitResult> result;
    OwnedCoroutine first = wait_owned(subject, result);
    auto second = promise_of(subject.waiting());
    subject.let_pass(1);

    first.destroy();

    EXPECT_EQ(loop.run_until(second), WaitResult::ok);
    EXPECT_FALSE(result);
    this->expect_no_more(subject);
}

TYPED_TEST(WaitWays, WhatTheOnlyWaiterHadGotIsThereOnceItIsGone) {
    EventLoop loop;
    TypeParam of_a_coroutine;
    TypeParam of_a_promise;
    std::optional<WaitResult> result;
    {
        const OwnedCoroutine destroyed = wait_owned(of_a_coroutine, result);
        const auto dropped = promise_of(of_a_promise.waiting());
        of_a_coroutine.let_pass(1);
        of_a_promise.let_pass(1);
    }

    this->expect_passes_one(of_a_coroutine);
    this->expect_passes_one(of_a_promise);
    EXPECT_FALSE(result);
}

TYPED_TEST(WaitWays, ALoopThatEndsCancelsItsWaitsAndPassesOnWhatTheyHadGot) {
    TypeParam subject;
    std::optional<WaitResult> results[2];
    std::vector<OwnedCoroutine> coroutines;
    WaitResult blocked = WaitResult::timed_out;
    std::optional<std::jthread> thread;
    {
        EventLoop loop;
        for (auto& result : results) coroutines.push_back(wait_owned(subject, result));
        thread.emplace([&] { blocked = subject.wait(); });
        until_waiting(subject, 3);
        subject.let_pass(1);
    }
    thread.reset();

    EXPECT_EQ(blocked, WaitResult::ok);
    for (const auto& result : results) EXPECT_EQ(result, WaitResult::cancelled);
    this->expect_no_more(subject);
}

TYPED_TEST(WaitWays, AnAgentThatMayNotBlockIsRefusedBeforeAnythingIsTried) {
    const EventLoop loop;
    typename TestFixture::Ready ready;

    EXPECT_THROW(static_cast<void>(ready.wait()), futon::BlockingForbidden);
    EXPECT_THROW(static_cast<void>(ready.wait(0ms)), futon::BlockingForbidden);
    EXPECT_THROW(static_cast<void>(ready.wait(this->stopped())), futon::BlockingForbidden);

    this->expect_passes_one(ready);
}

TYPED_TEST(WaitWays, AThreadWithoutAnExecutorIsRefusedBeforeAnythingIsTried) {
    typename TestFixture::Ready ready;
    auto awaitable = ready.wait_async();

    EXPECT_THROW(static_cast<void>(awaitable.await_ready()), futon::NoExecutor);

    this->expect_passes_one(ready);
}

TYPED_TEST(WaitWays, TheWaiterMayDestroyWhatItHasWaitedForWhileTheWakerReturns) {
    for (int i = 0; i < 200; ++i) {
        auto subject = std::make_unique<TypeParam>();
        const std::jthread waker([&subject = *subject] { subject.let_pass(1); });
        if (i % 2 == 0) {
            EXPECT_EQ(subject->wait(), WaitResult::ok);
        } else {
            while (!subject->try_wait()) std::this_thread::yield();
        }
        subject.reset();
    }
}

template <class Signal>
void let_one_pass(Signal& signal) {
    signal.set();
}
void let_one_pass(Semaphore& semaphore) {
    semaphore.release();
}

template <class Signal>
auto waiting_for(Signal& signal) {
    return signal.waiting();
}
auto waiting_for(Semaphore& semaphore) {
    return semaphore.acquiring();
}

template <class Primitive>
class ZeroedWaitWays : public testing::Test {};

using ZeroedPrimitives = testing::Types<Event, AutoResetEvent, Semaphore>;
TYPED_TEST_SUITE(ZeroedWaitWays, ZeroedPrimitives);

TYPED_TEST(ZeroedWaitWays, LieInASharedArrayBuffer) {
    constexpr std::size_t size = sizeof(TypeParam);
    futon::SharedArrayBuffer buffer(2 * size);
    TypeParam& primitive = TypeParam::at(buffer, size);
    const std::jthread thread([buffer]() mutable { let_one_pass(TypeParam::at(buffer, size)); });

    EXPECT_EQ(futon::core::block(waiting_for(primitive)), WaitResult::ok);
    EXPECT_THROW(TypeParam::at(buffer, size / 2), std::out_of_range);
    EXPECT_THROW(TypeParam::at(buffer, 2 * size), std::out_of_range);
}

}  // namespace
