// SPDX-License-Identifier: MIT
#include <future>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <tuple>
#include <variant>

#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/lock_waiter.hpp"
#include "support/waiting.hpp"

// Each kind of waiter in each mode: it waits for those that its mode excludes, gets the lock when they have left, and gives up
// by a deadline or a stop.
namespace {

using namespace std::chrono_literals;
using futon::Deadline;
using futon::EventLoop;
using futon::Limits;
using futon::Promise;
using futon::SharedLock;
using futon::WaitResult;

enum class Kind { thread, coroutine, promise, select };
enum class Mode { shared, exclusive, upgradeable, upgrade };

/// Holds what was acquired, in one of the modes.
using Held = std::variant<SharedLock::SharedGuard, SharedLock::Guard, SharedLock::UpgradeableGuard, WaitResult>;

WaitResult result_of(const Held& held) {
    return std::visit(
        [](const auto& one) {
            if constexpr (std::is_same_v<std::decay_t<decltype(one)>, WaitResult>) {
                return one;
            } else {
                EXPECT_EQ(one.owns_lock(), one.result() == WaitResult::ok);
                return one.result();
            }
        },
        held);
}

/// Calls `use` with the operation of this mode. An upgrade's caller holds the lock upgradeable.
template <class Use>
auto with_operation(SharedLock& lock, Mode mode, Use use) {
    switch (mode) {
        case Mode::shared:
            return use(lock.locking_shared());
        case Mode::exclusive:
            return use(lock.locking());
        case Mode::upgradeable:
            return use(lock.locking_upgradeable());
        default:
            return use(lock.upgrading());
    }
}

/// On a thread, which may block: by the function that a user calls.
Held hold_blocking(SharedLock& lock, Mode mode, Limits limits) {
    switch (mode) {
        case Mode::shared:
            return lock.scoped_lock_shared(limits);
        case Mode::exclusive:
            return lock.scoped_lock(limits);
        case Mode::upgradeable:
            return lock.scoped_lock_upgradeable(limits);
        default:
            return lock.upgrade(limits);
    }
}

Promise<Held> hold_awaiting(SharedLock& lock, Mode mode, Limits limits) {
    switch (mode) {
        case Mode::shared:
            co_return co_await lock.scoped_lock_shared_async(limits);
        case Mode::exclusive:
            co_return co_await lock.scoped_lock_async(limits);
        case Mode::upgradeable:
            co_return co_await lock.scoped_lock_upgradeable_async(limits);
        default:
            co_return co_await lock.upgrade_async(limits);
    }
}

Promise<Held> hold_promised(SharedLock& lock, Mode mode, Limits limits) {
    return with_operation(lock, mode, [&](auto operation) -> Promise<Held> {
        co_return Held(co_await futon::promise_of(std::move(operation), limits));
    });
}

Promise<Held> hold_selected(SharedLock& lock, Mode mode, Limits limits) {
    return with_operation(lock, mode, [&](auto operation) -> Promise<Held> {
        auto chosen = co_await futon::select_async(std::move(operation), futon::timeout(limits.deadline()),
                                                   futon::stop_requested(limits.stop()));
        if (chosen.index() == 0) co_return Held(std::get<0>(std::move(chosen)));
        co_return Held(chosen.index() == 1 ? WaitResult::timed_out : WaitResult::cancelled);
    });
}

/// Waits in the given way until `release` was called by another thread, or the deadline or the stop has come.
WaitResult wait(SharedLock& lock, Kind kind, Mode mode, Limits limits) {
    const auto give_back = [&](const Held& held) {
        const WaitResult result = result_of(held);
        if (mode != Mode::upgrade) return result;
        if (result == WaitResult::ok) {
            lock.unlock();
        } else {
            lock.unlock_upgradeable();  // it was kept
        }
        return result;
    };
    if (mode == Mode::upgrade) lock.lock_upgradeable();
    if (kind == Kind::thread) return give_back(hold_blocking(lock, mode, limits));
    EventLoop loop(futon::CanBlock::yes);
    const auto way = kind == Kind::coroutine ? hold_awaiting : kind == Kind::promise ? hold_promised : hold_selected;
    return give_back(loop.run_until(way(lock, mode, std::move(limits))));
}

const void* queue_of(SharedLock& lock, Mode mode) {
    return reinterpret_cast<const std::byte*>(&lock) + (mode == Mode::upgrade ? 4 : 0);
}

class SharedLockKinds : public testing::TestWithParam<std::tuple<Kind, Mode, futon::Fairness>> {
protected:
    Kind kind() const { return std::get<0>(GetParam()); }
    Mode mode() const { return std::get<1>(GetParam()); }

    /// Holds the lock in a mode that excludes the one that is tested.
    void hold() {
        if (mode() == Mode::upgrade) {
            lock_.lock_shared();
        } else {
            lock_.lock();
        }
    }
    void release() {
        if (mode() == Mode::upgrade) {
            lock_.unlock_shared();
        } else {
            lock_.unlock();
        }
    }
    void until_queued() {
        futon::test::until([&] { return futon::core::process_table().count(queue_of(lock_, mode())) == 1; });
    }
    void expect_free() {
        EXPECT_EQ(futon::core::process_table().count(queue_of(lock_, mode())), 0U);
        EXPECT_TRUE(lock_.try_lock());
        lock_.unlock();
    }

    SharedLock lock_{std::get<2>(GetParam())};
};

TEST_P(SharedLockKinds, IsReadyAtOnceWhereNoneExcludesIt) {
    if (mode() != Mode::exclusive) lock_.lock_shared();
    if (mode() == Mode::upgrade) lock_.unlock_shared();
    std::stop_source stopped;
    stopped.request_stop();
    const Deadline limit = kind() == Kind::select ? Deadline::never() : Deadline(0ms);
    EXPECT_EQ(wait(lock_, kind(), mode(), limit), WaitResult::ok);
    if (kind() != Kind::select) {  // which takes any that is ready
        EXPECT_EQ(wait(lock_, kind(), mode(), {Deadline(0ms), stopped.get_token()}), WaitResult::ok);
    }
    if (mode() == Mode::shared || mode() == Mode::upgradeable) lock_.unlock_shared();
    expect_free();
}

TEST_P(SharedLockKinds, WaitsForThoseThatItExcludes) {
    for (const bool is_long : {false, true}) {
        hold();
        std::jthread waiter([&] { EXPECT_EQ(wait(lock_, kind(), mode(), {}), WaitResult::ok); });
        until_queued();
        if (is_long) futon::test::until_handoff_is_due();
        release();
        waiter.join();
        expect_free();
    }
}

TEST_P(SharedLockKinds, GivesUpWhenItsTimeIsOver) {
    hold();
    EXPECT_EQ(std::async(std::launch::async, [&] { return wait(lock_, kind(), mode(), 1ms); }).get(),
              WaitResult::timed_out);
    release();
    expect_free();
}

TEST_P(SharedLockKinds, GivesUpWhenAStopIsRequested) {
    hold();
    std::stop_source stop;
    std::jthread waiter([&] { EXPECT_EQ(wait(lock_, kind(), mode(), stop.get_token()), WaitResult::cancelled); });
    until_queued();
    stop.request_stop();
    waiter.join();
    release();
    expect_free();
}

std::string name_of(const testing::TestParamInfo<SharedLockKinds::ParamType>& info) {
    constexpr const char* kinds[] = {"Thread", "Coroutine", "Promise", "Select"};
    constexpr const char* modes[] = {"Shared", "Exclusive", "Upgradeable", "Upgrade"};
    const auto [kind, mode, fairness] = info.param;
    return std::string(kinds[static_cast<int>(kind)]) + modes[static_cast<int>(mode)] +
           (fairness == futon::Fairness::strict ? "Strict" : "");
}

INSTANTIATE_TEST_SUITE_P(All, SharedLockKinds,
                         testing::Combine(testing::Values(Kind::thread, Kind::coroutine, Kind::promise, Kind::select),
                                          testing::Values(Mode::shared, Mode::exclusive, Mode::upgradeable,
                                                          Mode::upgrade),
                                          testing::Values(futon::Fairness::bounded, futon::Fairness::strict)),
                         name_of);

/// Holds the lock in a mode, and hands it off when it unlocks.
void lock_and_unlock_fair(SharedLock& lock, Mode mode, auto while_held) {
    if (mode == Mode::shared) {
        lock.lock_shared();
        while_held();
        lock.unlock_shared_fair();
    } else if (mode == Mode::exclusive) {
        auto guard = lock.scoped_lock();
        while_held();
        guard.unlock_fair();
    } else {
        lock.lock_upgradeable();
        while_held();
        lock.unlock_upgradeable_fair();
    }
}

TEST(SharedLockKinds, UnlockFairHandsItOffToTheFirstInTheQueueWhateverTheTime) {
    using Writer = futon::test::WaiterForLock<SharedLock>;
    for (const Mode mode : {Mode::shared, Mode::exclusive, Mode::upgradeable}) {
        SharedLock lock;
        Writer writer(lock, Writer::Kind::thread);
        Writer next(lock, Writer::Kind::thread);
        lock_and_unlock_fair(lock, mode, [&] {
            ASSERT_TRUE(writer.enqueue());
            ASSERT_TRUE(next.enqueue());
        });
        EXPECT_EQ(writer.given(), futon::core::WakeToken::handed_off);
        EXPECT_EQ(next.given(), std::nullopt);
        EXPECT_FALSE(lock.try_lock_shared()) << "it is the writer's";
    }
}

TEST(SharedLockKinds, UnlockFairOfALockThatIsNotHeldSoThrows) {
    SharedLock lock;
    EXPECT_THROW(lock.unlock_fair(), std::system_error);
    EXPECT_THROW(lock.unlock_shared_fair(), std::system_error);
    EXPECT_THROW(lock.unlock_upgradeable_fair(), std::system_error);
    SharedLock::Guard none(WaitResult::timed_out);
    EXPECT_THROW(none.unlock_fair(), std::system_error);
    EXPECT_TRUE(lock.try_lock());
}

}  // namespace
