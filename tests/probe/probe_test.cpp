// SPDX-License-Identifier: MIT
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

#include <futon/futon.hpp>
#include <futon/select.hpp>

#include "recorder.hpp"
#include "support/gtest.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using futon::AsyncLock;
using futon::notify;
using futon::WaitResult;
using futon::core::process_table;
using futon::core::Waiter;
using futon::test::Event;
using futon::test::events_at;
using futon::test::until_waiting;
using Events = std::vector<Event>;

static_assert(futon::core::probe::is_enabled);

class Probe : public testing::Test {
protected:
    Probe() { futon::test::forget_events(); }

    std::atomic<int> word{0};
    std::atomic<int> other{0};
};

TEST_F(Probe, SeesAnUncontendedLock) {
    AsyncLock lock;

    lock.lock();
    lock.unlock();

    EXPECT_EQ(events_at(&lock), (Events{Event::acquired, Event::releasing}));
}

TEST_F(Probe, SeesATryLockOnlyIfItSucceeds) {
    AsyncLock lock;
    lock.try_lock();

    lock.try_lock();

    EXPECT_EQ(events_at(&lock), (Events{Event::acquired}));
}

TEST_F(Probe, SeesAContendedLockThatIsHandedOff) {
    AsyncLock lock(futon::Fairness::strict);
    lock.lock();
    std::jthread thread([&] { const std::scoped_lock hold(lock); });
    until_waiting(lock, 1);

    lock.unlock();
    thread.join();

    EXPECT_EQ(events_at(&lock), (Events{Event::acquired, Event::enqueued, Event::releasing, Event::woken,
                                        Event::handing_off, Event::acquired, Event::releasing}));
}

TEST_F(Probe, SeesAContendedLockThatIsReleased) {
    AsyncLock lock;
    lock.lock();
    std::jthread thread([&] { const std::scoped_lock hold(lock); });
    until_waiting(lock, 1);

    lock.unlock();
    thread.join();

    Events events = events_at(&lock);
    std::erase(events, Event::handing_off);  // where this thread was held up for longer than the handoff threshold
    EXPECT_EQ(events, (Events{Event::acquired, Event::enqueued, Event::releasing, Event::woken, Event::acquired,
                              Event::releasing}));
}

TEST_F(Probe, SeesALockThatACoroutineGetsLater) {
    futon::EventLoop loop;
    AsyncLock lock(futon::Fairness::strict);
    lock.try_lock();
    const auto acquire = [&]() -> futon::Promise<void> {
        const AsyncLock::Guard guard = co_await lock.scoped_lock_async();
    };
    const auto promise = acquire();

    lock.unlock();
    loop.run();

    EXPECT_EQ(events_at(&lock), (Events{Event::acquired, Event::enqueued, Event::releasing, Event::woken,
                                        Event::handing_off, Event::acquired, Event::releasing}));
}

TEST_F(Probe, SeesAWaitThatIsNotified) {
    std::jthread thread([&] { futon::wait(word, 0); });
    until_waiting(word, 1);

    notify(word);

    EXPECT_EQ(events_at(&word), (Events{Event::enqueued, Event::woken}));
}

TEST_F(Probe, SeesNothingOfAWaitThatIsNotNeeded) {
    futon::wait(word, 1);

    EXPECT_EQ(events_at(&word), Events{});
}

TEST_F(Probe, SeesAWaitWhoseDeadlineComes) {
    EXPECT_EQ(futon::wait(word, 0, 1ms), WaitResult::timed_out);

    Events events = events_at(&word);
    if (events.empty()) GTEST_SKIP() << "this thread was held up until the deadline had passed";
    EXPECT_EQ(events, (Events{Event::enqueued, Event::dequeued}));
}

TEST_F(Probe, SeesAWaiterThatIsMoved) {
    std::jthread thread([&] { futon::wait(word, 0); });
    until_waiting(word, 1);

    process_table().requeue(&word, futon::Word<int>(other).equals(0), 1);
    notify(other);
    thread.join();

    EXPECT_EQ(events_at(&word), (Events{Event::enqueued, Event::requeued_from}));
    EXPECT_EQ(events_at(&other), (Events{Event::requeued_to, Event::woken}));
}

TEST_F(Probe, SeesAMemberOfASelectThatIsOverAsDequeued) {
    std::jthread thread([&] { static_cast<void>(futon::select(futon::waiting(word, 0), futon::waiting(other, 0))); });
    until_waiting(other, 1);

    notify(word);
    thread.join();

    EXPECT_EQ(events_at(&word), (Events{Event::enqueued, Event::woken}));
    EXPECT_EQ(events_at(&other), (Events{Event::enqueued, Event::dequeued}));
}

TEST_F(Probe, KeepsAStampInEachWaiter) {
    struct ReadStamp final : futon::core::QueueVisitor {
        void visit(const void*, const Waiter& waiter) noexcept override {
            since = futon::core::WaiterAccess::stamp(waiter).since;
        }
        Clock::time_point since{};
    } visitor;
    const auto begin = Clock::now();
    std::jthread thread([&] { futon::wait(word, 0); });
    until_waiting(word, 1);
    const auto end = Clock::now();

    process_table().visit(&word, visitor);
    notify(word);

    EXPECT_GE(visitor.since, begin);
    EXPECT_LE(visitor.since, end);
}

}  // namespace
