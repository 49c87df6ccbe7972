// SPDX-License-Identifier: MIT
// Locks, while tasks that wait for them are refused memory: each is free in the end, and has excluded.
#include <chrono>
#include <cstddef>
#include <optional>
#include <stop_token>
#include <utility>

#include <futon/futon.hpp>

#include "support/failing_allocations.hpp"
#include "support/gtest.hpp"
#include "support/refused_waits.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using futon::AsyncLock;
using futon::EventLoop;
using futon::Guarded;
using futon::Promise;
using futon::Semaphore;
using futon::SharedLock;
using futon::test::begin_some;
using futon::test::End;
using futon::test::Ends;
using futon::test::in_each_way;
using futon::test::refuse_each_allocation;
using futon::test::run_to_the_end;
using futon::test::succeeds;

// Locks that are held, until they are let go.

struct ALock {
    AsyncLock lock;
    ALock() { lock.lock(); }
    void let_go() { lock.unlock(); }
    bool is_free() { return lock.try_lock(); }
    auto waiting() { return lock.locking(); }
    auto wait_async(futon::Limits limits = {}) { return lock.scoped_lock_async(std::move(limits)); }
};

struct AValue {
    Guarded<int> value;
    std::optional<Guarded<int>::Access<int>> access{value.lock()};
    void let_go() { access.reset(); }
    bool is_free() { return value.try_lock().has_access(); }
    auto waiting() { return value.locking(); }
    auto wait_async(futon::Limits limits = {}) { return value.lock_async(std::move(limits)); }
};

struct AWriter {
    SharedLock lock;
    AWriter() { lock.lock_shared(); }
    void let_go() { lock.unlock_shared(); }
    bool is_free() { return lock.try_lock(); }
    auto waiting() { return lock.locking(); }
    auto wait_async(futon::Limits limits = {}) { return lock.scoped_lock_async(std::move(limits)); }
};

struct AReader {
    SharedLock lock;
    AReader() { lock.lock(); }
    void let_go() { lock.unlock(); }
    bool is_free() { return lock.try_lock(); }
    auto waiting() { return lock.locking_shared(); }
    auto wait_async(futon::Limits limits = {}) { return lock.scoped_lock_shared_async(std::move(limits)); }
};

struct AnUpgradeable {
    SharedLock lock;
    AnUpgradeable() { lock.lock_upgradeable(); }
    void let_go() { lock.unlock_upgradeable(); }
    bool is_free() { return lock.try_lock(); }
    auto waiting() { return lock.locking_upgradeable(); }
    auto wait_async(futon::Limits limits = {}) { return lock.scoped_lock_upgradeable_async(std::move(limits)); }
};

struct TwoPermits {
    Semaphore semaphore{3};
    TwoPermits() { semaphore.acquire(2); }
    void let_go() { semaphore.release(2); }
    bool is_free() { return semaphore.try_acquire(3); }
    auto waiting() { return semaphore.scoped_acquiring(2); }
    auto wait_async(futon::Limits limits = {}) { return semaphore.scoped_acquire_async(2, std::move(limits)); }
};

template <class Subject>
class RefusedLocks : public testing::Test {};

using Locks = testing::Types<ALock, AValue, AWriter, AReader, AnUpgradeable, TwoPermits>;
TYPED_TEST_SUITE(RefusedLocks, Locks);

TYPED_TEST(RefusedLocks, AreLockedByAllThatBegan) {
    in_each_way<TypeParam>([](auto begin) {
        TypeParam subject;
        Ends ends;
        EventLoop loop;
        const int begun = begin_some(begin, 3, subject, {1h, std::stop_source().get_token()}, ends);

        EXPECT_TRUE(succeeds([&] { subject.let_go(); }));
        run_to_the_end(loop);

        EXPECT_EQ(ends.ok + ends.refused, begun);
        EXPECT_TRUE(subject.is_free());
    });
}

TYPED_TEST(RefusedLocks, AreFreeOnceWaitsWereStoppedOrTheirTimeIsOver) {
    in_each_way<TypeParam>([](auto begin) {
        TypeParam subject;
        Ends ends;
        EventLoop loop;
        std::stop_source stop;
        int begun = begin_some(begin, 2, subject, {1h, stop.get_token()}, ends);
        begun += begin_some(begin, 1, subject, {1ms, {}}, ends);

        EXPECT_TRUE(succeeds([&] { stop.request_stop(); }));
        run_to_the_end(loop);

        EXPECT_EQ(ends.others + ends.refused, begun);
        subject.let_go();
        EXPECT_TRUE(subject.is_free());
    });
}

TYPED_TEST(RefusedLocks, AreFreeOnceTheLoopThatHadGotThemHasEnded) {
    in_each_way<TypeParam>([](auto begin) {
        TypeParam subject;
        Ends ends;
        std::optional<EventLoop> loop(std::in_place);
        const int begun = begin_some(begin, 2, subject, {}, ends);
        EXPECT_TRUE(succeeds([&] { subject.let_go(); }));

        EXPECT_TRUE(succeeds([&] { loop.reset(); }));

        EXPECT_EQ(ends.abandoned + ends.refused, begun);
        EXPECT_TRUE(subject.is_free());
    });
}

TYPED_TEST(RefusedLocks, AreFreeThatWereLockedAtOnce) {
    in_each_way<TypeParam>([](auto begin) {
        TypeParam subject;
        Ends ends;
        EventLoop loop;
        subject.let_go();

        const int begun = begin_some(begin, 2, subject, {}, ends);
        run_to_the_end(loop);

        EXPECT_EQ(ends.ok + ends.refused, begun);
        EXPECT_TRUE(subject.is_free());
    });
}

TEST(RefusedExecuteLocked, CallsEachFunctionThatItAcceptedOrRejectsItsPromise) {
    refuse_each_allocation([] {
        AsyncLock lock;
        EventLoop loop(futon::CanBlock::yes);
        int calls = 0;
        int accepted = 0;
        lock.lock();
        for (int i = 0; i < 3; ++i) {
            accepted += succeeds([&] {
                const auto promise = lock.execute_locked([&]() -> Promise<void> {
                    co_await futon::sleep_for(0ms);
                    ++calls;
                });
            });
        }
        EXPECT_TRUE(succeeds([&] { lock.unlock(); }));
        const int rejections = run_to_the_end(loop);

        EXPECT_EQ(calls + rejections, accepted);
        EXPECT_TRUE(lock.try_lock());
    });
}

TEST(RefusedLockAll, OwnsAllOrNone) {
    refuse_each_allocation([] {
        AsyncLock a;
        AsyncLock b;
        EventLoop loop(futon::CanBlock::yes);
        Ends ends;
        const auto lock_both = [&]() -> Promise<void> {
            End end(ends);
            try {
                end.note((co_await lock_all_async(1h, a, b)).result());
            } catch (const std::bad_alloc&) {
                end.refuse();
            }
        };
        int begun = 0;
        a.lock();
        for (int i = 0; i < 2; ++i) begun += succeeds([&] { static_cast<void>(lock_both()); });
        EXPECT_TRUE(succeeds([&] { a.unlock(); }));
        run_to_the_end(loop);

        EXPECT_EQ(ends.ok, begun);
        EXPECT_TRUE(a.try_lock() && b.try_lock());
    });
}

TEST(RefusedSharedLock, UpgradesAndGoesOn) {
    refuse_each_allocation([] {
        SharedLock lock;
        EventLoop loop(futon::CanBlock::yes);
        Ends ends;
        const auto upgrade = [&]() -> Promise<void> {
            End end(ends);
            auto guard = co_await lock.scoped_lock_upgradeable_async();
            const auto upgraded = co_await guard.upgrade_async();
            end.note(upgraded.result());
        };
        lock.lock_shared();
        const int begun = succeeds([&] { static_cast<void>(upgrade()); });
        EXPECT_TRUE(succeeds([&] { lock.unlock_shared(); }));
        run_to_the_end(loop);

        EXPECT_EQ(ends.ok, begun);
        EXPECT_TRUE(lock.try_lock());
    });
}

}  // namespace
