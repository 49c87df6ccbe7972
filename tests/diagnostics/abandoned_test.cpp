// SPDX-License-Identifier: MIT
// Locks that coroutines and threads have not unlocked when they ended, and promises that nothing settles any more.
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <futon/diagnostics.hpp>
#include <futon/futon.hpp>
#include <futon/scope.hpp>
#include <futon/watched_mutex.hpp>

#include "reports.hpp"
#include "support/coroutines.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using futon::AsyncLock;
using futon::EventLoop;
using futon::Promise;
using futon::SharedLock;
using futon::diagnostics::What;
using futon::test::OwnedCoroutine;

class AbandonedHolds : public futon::test::Reports {
protected:
    AbandonedHolds() { futon::diagnostics::watch({.abandoned = true}); }

    std::size_t found() const { return count(What::abandoned_hold); }

    static std::string dumped() {
        std::ostringstream out;
        futon::diagnostics::dump(out);
        return out.str();
    }

    static Promise<void> lock_now(AsyncLock& lock) { co_await lock.lock_async(); }
    static Promise<void> lock_later(AsyncLock& lock) {
        co_await futon::sleep_for(0ms);
        co_await lock.lock_async();
    }
    static Promise<AsyncLock::Guard> guard_of(AsyncLock& lock) { co_return co_await lock.scoped_lock_async(); }
};

TEST_F(AbandonedHolds, OfACoroutineThatReturned) {
    EventLoop loop;
    AsyncLock lock;
    futon::name(lock, "accounts");

    static_cast<void>(lock_later(lock));
    loop.run();

    ASSERT_EQ(found(), 1U) << text();
    EXPECT_NE(text().find("coroutine"), std::string::npos) << text();
    EXPECT_NE(text().find("has ended while it held AsyncLock \"accounts\""), std::string::npos) << text();
    EXPECT_NE(text().find("acquired at abandoned_test.cpp:"), std::string::npos) << text();
    EXPECT_NE(dumped().find(", which has ended"), std::string::npos) << dumped();
    lock.unlock();
    EXPECT_EQ(dumped().find("accounts"), std::string::npos) << dumped();
}

TEST_F(AbandonedHolds, OfOneThatNeverHadToWait) {
    EventLoop loop;
    AsyncLock lock;
    static_cast<void>(lock_now(lock));
    EXPECT_EQ(found(), 1U) << text();

    {
        std::optional<Promise<void>> promise;
        AsyncLock other;
        promise.emplace(lock_now(other));
        EXPECT_EQ(found(), 1U) << "the promise may be awaited: " << text();
    }
    EXPECT_EQ(found(), 1U) << "the lock has ended first: " << text();

    AsyncLock third;
    {
        const Promise<void> promise = lock_now(third);
        loop.run();
    }
    EXPECT_EQ(found(), 2U) << text();
}

TEST_F(AbandonedHolds, OfOneThatThrew) {
    EventLoop loop;
    AsyncLock lock;
    const auto fail = [&]() -> Promise<void> {
        co_await lock.lock_async();
        co_await futon::sleep_for(0ms);
        throw std::runtime_error("before it unlocks");
    };
    const auto run = [&]() -> Promise<void> {
        futon::Scope scope;
        scope.spawn(fail);
        try {
            co_await scope.join();
        } catch (const std::runtime_error&) {
        }
    };

    loop.run_until(run());

    EXPECT_EQ(found(), 1U) << text();
}

TEST_F(AbandonedHolds, OfOneThatIsDestroyedWhileItWaits) {
    AsyncLock lock;
    futon::Event never;
    {
        EventLoop loop;
        const auto wait = [&]() -> Promise<void> {
            co_await lock.lock_async();
            co_await never.wait_async();
        };
        static_cast<void>(wait());
        EXPECT_EQ(found(), 0U) << text();
    }

    EXPECT_EQ(found(), 1U) << text();
}

TEST_F(AbandonedHolds, AreTheAwaitersFirst) {
    EventLoop loop;
    AsyncLock one, other;
    const auto outer = [&]() -> Promise<void> {
        co_await lock_now(one);      // has ended before it is awaited
        co_await lock_later(other);  // is awaited when it ends
        EXPECT_EQ(found(), 0U) << text();
        one.unlock();
        other.unlock();
    };
    loop.run_until(outer());
    EXPECT_EQ(found(), 0U) << text();

    const auto of_all = [&]() -> Promise<void> {
        static_cast<void>(co_await futon::all(lock_now(one), lock_later(other)));
        EXPECT_EQ(found(), 0U) << text();
        one.unlock();
        other.unlock();
    };
    loop.run_until(of_all());
    loop.run();
    EXPECT_EQ(found(), 0U) << text();

    const auto forgets = [&]() -> Promise<void> {
        co_await lock_now(one);
        co_await lock_later(other);
    };
    static_cast<void>(forgets());
    loop.run();
    EXPECT_EQ(found(), 2U) << text();
}

TEST_F(AbandonedHolds, NoneWhereAGuardOutlivesTheCoroutine) {
    EventLoop loop;
    AsyncLock one, other, third;
    std::vector<AsyncLock::Guard> guards;
    const auto outer = [&]() -> Promise<void> {
        guards.push_back(co_await guard_of(one));
        guards.push_back(co_await other.scoped_lock_async());
    };
    static_cast<void>(outer());
    const auto adopt = [&]() -> Promise<void> {
        co_await third.lock_async();
        guards.emplace_back(third, std::adopt_lock);
    };
    static_cast<void>(adopt());
    loop.run();

    EXPECT_EQ(found(), 0U) << text();
    guards.clear();
    EXPECT_EQ(dumped().find("held by"), std::string::npos) << dumped();
}

TEST_F(AbandonedHolds, NoneWhereAParameterUnlocks) {
    EventLoop loop;
    AsyncLock lock;
    const auto work = [](AsyncLock& its, std::unique_lock<AsyncLock> guard) -> Promise<void> {
        co_await its.lock_async();
        guard = std::unique_lock(its, std::adopt_lock);
    };
    static_cast<void>(work(lock, std::unique_lock<AsyncLock>()));
    loop.run();

    EXPECT_EQ(found(), 0U) << text();
}

TEST_F(AbandonedHolds, OfAGuardThatWasReleased) {
    EventLoop loop;
    AsyncLock lock;
    SharedLock shared;
    const auto work = [&]() -> Promise<void> {
        AsyncLock::Guard guard = co_await lock.scoped_lock_async();
        SharedLock::Guard writer = co_await shared.scoped_lock_async();
        static_cast<void>(guard.release());
        static_cast<void>(writer.release());
    };
    static_cast<void>(work());
    loop.run();

    EXPECT_EQ(found(), 2U) << text();
    EXPECT_NE(text().find("SharedLock"), std::string::npos) << text();
}

/// A mutex that any thread may unlock.
class Flag {
public:
    void lock() noexcept {
        while (!try_lock()) std::this_thread::yield();
    }
    bool try_lock() noexcept { return !is_set_.test_and_set(); }
    void unlock() noexcept { is_set_.clear(); }

private:
    std::atomic_flag is_set_;
};

TEST_F(AbandonedHolds, OfAThread) {
    AsyncLock lock;
    futon::diagnostics::Watched<Flag> mutex("the mutex");
    futon::name(lock, "the lock");
    std::thread([&] {
        lock.lock();
        mutex.lock();
    }).join();

    EXPECT_EQ(found(), 2U) << text();
    EXPECT_NE(text().find("thread"), std::string::npos) << text();
    EXPECT_NE(text().find("has ended while it held AsyncLock \"the lock\""), std::string::npos) << text();
    EXPECT_NE(text().find("while it held mutex \"the mutex\""), std::string::npos) << text();
    mutex.unlock();
}

TEST_F(AbandonedHolds, NoneOfAThreadThatUnlocksWithItsLastObjects) {
    static AsyncLock& lock = *new AsyncLock;
    std::thread([&] {
        thread_local std::unique_lock<AsyncLock>
            late;  // made before the thread is known, so destroyed after that is forgotten
        late = std::unique_lock(lock);
    }).join();

    EXPECT_EQ(found(), 0U) << text();
    EXPECT_TRUE(lock.try_lock());
    lock.unlock();
}

TEST_F(AbandonedHolds, NoneOfALockThatIsPassedOn) {
    AsyncLock lock;
    const auto pass_on = [&] {
        std::thread([&] { lock.lock(); }).join();
        lock.unlock();
    };
    pass_on();
    EXPECT_EQ(found(), 1U) << "until another has unlocked it, who locks is expected to unlock";

    pass_on();

    EXPECT_EQ(found(), 1U) << text();
}

TEST_F(AbandonedHolds, AreNotThoseOfTheNextCoroutineInTheSameMemory) {
    EventLoop loop;
    AsyncLock lock;
    static_cast<void>(lock_now(lock));
    const Promise<void> promise = lock_now(lock);  // the loop gives it the frame's memory

    EXPECT_EQ(count(What::deadlock), 0U) << text();
    lock.unlock();
    loop.run();
    EXPECT_TRUE(promise.is_settled());
}

class LostPromises : public AbandonedHolds {
protected:
    std::size_t lost() const { return count(What::lost_promise); }

    static Promise<int> value_of(Promise<int> promise) { co_return co_await std::move(promise); }
};

TEST_F(LostPromises, OfALoopThatEndsBeforeTheCoroutinesOwn) {
    EventLoop outer;
    std::optional<EventLoop> inner(std::in_place);
    auto made = futon::make_promise<int>();  // of the inner loop
    std::optional<Promise<int>> waiting;
    outer.post([&] { waiting.emplace(value_of(std::move(made.first))); });
    outer.poll();
    ASSERT_TRUE(waiting);
    EXPECT_EQ(lost(), 0U) << text();

    inner.reset();

    EXPECT_EQ(lost(), 1U) << text();
    EXPECT_NE(text().find("awaits a promise that nothing can settle any more"), std::string::npos) << text();
    EXPECT_NE(text().find("waiting at abandoned_test.cpp:"), std::string::npos) << text();
    made.second.fulfil(7);
    outer.poll();
    EXPECT_FALSE(waiting->is_settled());
}

TEST_F(LostPromises, OfACoroutineThatEndsWithItsLoop) {
    EventLoop outer;
    std::optional<EventLoop> inner(std::in_place);
    futon::Event never;
    const auto wait = [&]() -> Promise<int> {
        co_await never.wait_async();
        co_return 7;
    };
    Promise<int> promise = wait();
    std::optional<Promise<int>> waiting;
    outer.post([&] { waiting.emplace(value_of(std::move(promise))); });
    outer.poll();

    inner.reset();

    EXPECT_EQ(lost(), 1U) << text();
}

TEST_F(LostPromises, NoneWhereTheSourceIsDestroyed) {
    EventLoop loop;
    auto made = futon::make_promise<int>();
    Promise<int> waiting = value_of(std::move(made.first));
    { const futon::PromiseSource<int> dropped = std::move(made.second); }

    EXPECT_THROW(static_cast<void>(loop.run_until(std::move(waiting))), futon::BrokenPromise);
    EXPECT_EQ(lost(), 0U) << text();
}

TEST_F(LostPromises, NoneWhereTheCoroutineEndsWithItsLoop) {
    std::optional<futon::PromiseSource<int>> source;
    {
        EventLoop loop;
        auto made = futon::make_promise<int>();
        source.emplace(std::move(made.second));
        static_cast<void>(value_of(value_of(std::move(made.first))));
    }
    EXPECT_EQ(lost(), 0U) << text();
}

TEST_F(LostPromises, NoneForWhoAwaitsTooLate) {
    EventLoop outer;
    std::optional<EventLoop> inner(std::in_place);
    auto made = futon::make_promise<int>();
    inner.reset();
    bool is_told = false;
    const auto await = [&]() -> Promise<void> {
        try {
            static_cast<void>(co_await std::move(made.first));
        } catch (const std::logic_error&) {
            is_told = true;
        }
    };

    outer.run_until(await());

    EXPECT_TRUE(is_told);
    EXPECT_EQ(lost(), 0U) << text();
}

TEST_F(LostPromises, NoneForAnotherLibrarysCoroutineWhichIsTold) {
    bool is_told = false;
    const auto await = [&](Promise<int> promise) -> OwnedCoroutine {
        try {
            static_cast<void>(co_await std::move(promise));
        } catch (const std::logic_error&) {
            is_told = true;
        }
    };
    std::optional<EventLoop> loop(std::in_place);
    auto made = futon::make_promise<int>();
    const OwnedCoroutine waiting = await(std::move(made.first));

    loop.reset();

    EXPECT_TRUE(is_told);
    EXPECT_EQ(lost(), 0U) << text();
}

}  // namespace
