// SPDX-License-Identifier: MIT
// What can be made of what: no guard, no permit and no access comes from a primitive alone, without waiting for it.
#include <cstdint>
#include <mutex>
#include <type_traits>

#include <futon/core.hpp>
#include <futon/futon.hpp>

#include "support/gtest.hpp"

namespace {

using futon::AsyncLock;
using futon::AutoResetEvent;
using futon::Barrier;
using futon::Channel;
using futon::Guarded;
using futon::Latch;
using futon::Once;
using futon::Semaphore;
using futon::SharedLock;
using std::adopt_lock_t;

template <class T, class... Args>
constexpr bool made_of = std::is_constructible_v<T, Args...>;

// A guard: of a lock that the caller holds, or of another guard that gives it away.
static_assert(!made_of<AsyncLock::Guard, AsyncLock&> && made_of<AsyncLock::Guard, AsyncLock&, adopt_lock_t>);
static_assert(!made_of<AsyncLock::Guard, AsyncLock::ScopedAcquisition>);
static_assert(!std::is_copy_constructible_v<AsyncLock::Guard> && std::is_move_constructible_v<AsyncLock::Guard>);

static_assert(!made_of<SharedLock::Guard, SharedLock&> && made_of<SharedLock::Guard, SharedLock&, adopt_lock_t>);
static_assert(!made_of<SharedLock::SharedGuard, SharedLock&>);
static_assert(!made_of<SharedLock::UpgradeableGuard, SharedLock&>);
static_assert(made_of<SharedLock::SharedGuard, SharedLock&, adopt_lock_t>);
static_assert(made_of<SharedLock::UpgradeableGuard, SharedLock&, adopt_lock_t>);
static_assert(!made_of<SharedLock::Guard, SharedLock::SharedGuard> &&
              !made_of<SharedLock::SharedGuard, SharedLock::Guard>);
static_assert(!std::is_copy_constructible_v<SharedLock::Guard> &&
              !std::is_copy_constructible_v<SharedLock::SharedGuard>);

static_assert(!made_of<Semaphore::Permits, Semaphore&> && !made_of<Semaphore::Permits, Semaphore&, int>);
static_assert(!std::is_copy_constructible_v<Semaphore::Permits> && std::is_move_constructible_v<Semaphore::Permits>);

// An access: of its Guarded alone.
static_assert(!made_of<Guarded<int>::Access<int>, Guarded<int>&>);
static_assert(!made_of<Guarded<int>::Access<int>, AsyncLock&, int&>);
static_assert(!made_of<Guarded<int>::Access<int>, AsyncLock::Guard, int&>);
static_assert(!std::is_copy_constructible_v<Guarded<int>::Access<int>>);

// A token: of what gives it.
static_assert(!made_of<Barrier<>::Arrival, std::uint32_t, bool>);
static_assert(!made_of<Once::Attempt, Once&>);
static_assert(!made_of<futon::WorkGuard, futon::EventLoop&>);

// A primitive: of a number or an order that is named, never by the way.
static_assert(!std::is_convertible_v<int, Semaphore> && !std::is_convertible_v<int, Latch>);
static_assert(!std::is_convertible_v<bool, AutoResetEvent> && !std::is_convertible_v<int, Channel<int>>);
static_assert(!std::is_copy_constructible_v<AsyncLock> && !std::is_move_constructible_v<AsyncLock>);

TEST(Construction, OfPermitsThatWereAcquiredPutsThemBack) {
    Semaphore semaphore(2);
    ASSERT_TRUE(semaphore.try_acquire(2));
    {
        const auto permits = Semaphore::Permits::adopt(semaphore, 2);
        EXPECT_EQ(permits.count(), 2u);
        EXPECT_EQ(semaphore.available(), 0u);
    }
    EXPECT_EQ(semaphore.available(), 2u);
}

// Counts of 64 bits are refused, never cut.
constexpr std::uint64_t cut_to_zero = std::uint64_t{1} << 32;

TEST(Construction, OfCountsThatAreTooLargeThrows) {
    EXPECT_THROW(Semaphore{cut_to_zero + 2}, std::system_error);
    EXPECT_THROW(Latch{cut_to_zero + 2}, std::invalid_argument);
    EXPECT_THROW(Barrier<>{cut_to_zero + 2}, std::invalid_argument);
}

TEST(Construction, CountsThatAreTooLargeChangeNothing) {
    Semaphore semaphore(1);
    EXPECT_THROW(semaphore.release(cut_to_zero), std::system_error);
    EXPECT_THROW(semaphore.release(cut_to_zero + 1), std::system_error);
    EXPECT_THROW(semaphore.try_acquire(cut_to_zero + 1), std::invalid_argument);
    EXPECT_THROW(semaphore.acquire(cut_to_zero + 1), std::invalid_argument);
    EXPECT_THROW(static_cast<void>(semaphore.scoped_acquire(cut_to_zero + 1)), std::invalid_argument);
    EXPECT_THROW(static_cast<void>(semaphore.acquiring(cut_to_zero + 1)), std::invalid_argument);
    EXPECT_THROW(static_cast<void>(Semaphore::Permits::adopt(semaphore, cut_to_zero + 1)), std::invalid_argument);
    EXPECT_EQ(semaphore.available(), 1u);

    Latch latch(2);
    EXPECT_THROW(latch.count_down(cut_to_zero + 2), std::logic_error);
    EXPECT_FALSE(latch.try_wait());

    Barrier<> barrier(2);
    EXPECT_THROW(static_cast<void>(barrier.arrive(cut_to_zero + 2)), std::logic_error);
    EXPECT_NO_THROW(static_cast<void>(barrier.arrive(2)));
}

TEST(Construction, AnAutoResetEventTellsWhetherItIsSet) {
    AutoResetEvent event;
    EXPECT_FALSE(event.is_set());
    event.set();
    EXPECT_TRUE(event.is_set());
    EXPECT_TRUE(event.try_wait());
    EXPECT_FALSE(event.is_set());
}

TEST(Construction, OfASemaphoreWithAMaximumOfItsOwn) {
    Semaphore binary(0, 1);
    EXPECT_EQ(binary.maximum(), 1u);
    EXPECT_EQ(Semaphore().maximum(), Semaphore::max());
    binary.release();
    EXPECT_THROW(binary.release(), std::system_error);
    EXPECT_EQ(binary.available(), 1u);
    EXPECT_THROW(binary.try_acquire(2), std::invalid_argument);
    EXPECT_THROW(static_cast<void>(binary.acquiring(2)), std::invalid_argument);
    EXPECT_THROW(static_cast<void>(Semaphore::Permits::adopt(binary, 2)), std::invalid_argument);
    {
        const auto permit = binary.scoped_acquire();
        EXPECT_EQ(binary.available(), 0u);
    }
    EXPECT_EQ(binary.available(), 1u);

    EXPECT_THROW(Semaphore(2, 1), std::system_error);
    EXPECT_THROW(Semaphore(0, 0), std::invalid_argument);
    EXPECT_THROW(Semaphore(0, std::uint64_t{Semaphore::max()} + 1), std::invalid_argument);
    EXPECT_NO_THROW(Semaphore(3, 3, futon::Fairness::strict));
}

}  // namespace
