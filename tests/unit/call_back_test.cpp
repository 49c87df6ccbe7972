// SPDX-License-Identifier: MIT
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <thread>

#include <futon/core/driver/call_back.hpp>
#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/queue_executor.hpp"
#include "support/small_table.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using futon::AsyncLock;
using futon::call_back;
using futon::CallHandle;
using futon::Channel;
using futon::EventLoop;
using futon::WaitResult;
using futon::test::waiting_at;
using Guard = AsyncLock::Guard;

/// An operation whose result cannot be made.
struct Failing {
    using Result = int;
    static constexpr const char* name = "test::Failing";
    const void* key() const noexcept { return this; }
    bool try_now() noexcept { return true; }
    futon::core::WaitCheck check() noexcept { return futon::Word(word).equals(0); }
    bool woken(futon::core::WakeToken) noexcept { return true; }
    void give_back(futon::core::WakeToken) noexcept {}
    int result(futon::core::Ending) { throw std::runtime_error("no result"); }
    std::atomic<int>& word;
};

/// Another thread waits for the lock, and gets it, so that it is not destroyed while it is handed over.
void expect_free(AsyncLock& lock) {
    std::thread([&] {
        lock.lock();
        lock.unlock();
    }).join();
}

class CallBack : public testing::Test {
protected:
    auto count() {
        return [this, alive = alive](WaitResult result) {
            ++calls;
            last = result;
        };
    }

    std::shared_ptr<int> alive = std::make_shared<int>(0);  // shared with the callbacks that are not destroyed
    int calls = 0;
    std::optional<WaitResult> last;
    std::atomic<int> word{0};
    AsyncLock lock;
    futon::Event event;
    std::optional<EventLoop> loop{std::in_place};
};

TEST_F(CallBack, IsNotCalledInsideTheCallThatDoesTheOperation) {
    event.set();

    call_back(event.waiting(), count());

    EXPECT_EQ(calls, 0);
    loop->run();
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(last, WaitResult::ok);
}

TEST_F(CallBack, IsCalledOnceTheWaitIsOver) {
    call_back(event.waiting(), count());
    std::jthread setter([&] { event.set(); });

    loop->run();

    EXPECT_EQ(calls, 1);
    EXPECT_EQ(alive.use_count(), 1);
}

TEST_F(CallBack, GetsWhatTheOperationYields) {
    bool owns = false;
    ASSERT_TRUE(lock.try_lock());
    call_back(lock.locking(), [&](Guard guard) { owns = guard.owns_lock(); });
    EXPECT_EQ(waiting_at(lock), 1u);

    lock.unlock();
    loop->run();

    EXPECT_TRUE(owns);
    expect_free(lock);
}

TEST_F(CallBack, IsToldOfTheDeadlineAndOfTheStop) {
    std::stop_source stop;
    call_back(event.waiting(), 1ms, count());
    loop->run();
    EXPECT_EQ(last, WaitResult::timed_out);

    call_back(event.waiting(), {1h, stop.get_token()}, count());
    stop.request_stop();
    loop->run();
    EXPECT_EQ(last, WaitResult::cancelled);
    EXPECT_EQ(calls, 2);
}

TEST_F(CallBack, IsDestroyedWithItsLoopWhileItWaits) {
    call_back(event.waiting(), 1h, count());

    loop.reset();

    EXPECT_EQ(calls, 0);
    EXPECT_EQ(alive.use_count(), 1);
    EXPECT_EQ(waiting_at(event), 0u);
}

TEST_F(CallBack, GivesBackWhatWasDoneAtOnceIfItsLoopEnds) {
    call_back(lock.locking(), [alive = alive](Guard) { ADD_FAILURE(); });
    EXPECT_FALSE(lock.try_lock());

    loop.reset();

    EXPECT_EQ(alive.use_count(), 1);
    expect_free(lock);
}

TEST_F(CallBack, GivesBackWhatWasHandedOverIfItsLoopEnds) {
    ASSERT_TRUE(lock.try_lock());
    call_back(lock.locking(), [](Guard) { ADD_FAILURE(); });
    std::thread([&] { lock.unlock(); }).join();

    loop.reset();

    expect_free(lock);
}

TEST_F(CallBack, CloseEndsIt) {
    call_back(lock.locking(), [alive = alive](Guard) { ADD_FAILURE(); });
    call_back(event.waiting(), count());

    loop->close();

    EXPECT_EQ(alive.use_count(), 1);
    loop->run();
    EXPECT_EQ(calls, 0);
    expect_free(lock);
    EXPECT_THROW(call_back(event.waiting(), count()), futon::NoExecutor);
}

TEST_F(CallBack, CancelEndsItWhileItIsQueued) {
    CallHandle handle = call_back(event.waiting(), count());
    EXPECT_TRUE(handle.is_pending());

    EXPECT_TRUE(handle.cancel());

    EXPECT_FALSE(handle.cancel());
    EXPECT_FALSE(handle.is_pending());
    EXPECT_EQ(alive.use_count(), 1);
    EXPECT_EQ(waiting_at(event), 0u);
    loop->run();
    EXPECT_EQ(calls, 0);
}

TEST_F(CallBack, CancelGivesBackWhatIsUnderWay) {
    CallHandle done = call_back(lock.locking(), [](Guard) { ADD_FAILURE(); });
    CallHandle queued = call_back(lock.locking(), [](Guard) { ADD_FAILURE(); });

    EXPECT_TRUE(done.cancel());
    EXPECT_TRUE(queued.cancel());

    loop->run();
    expect_free(lock);
}

TEST_F(CallBack, CancelPassesAWakeUpOn) {
    futon::AutoResetEvent signal;
    CallHandle first = call_back(signal.waiting(), count());
    call_back(signal.waiting(), count());
    signal.set();

    EXPECT_TRUE(first.cancel());

    loop->run();
    EXPECT_EQ(calls, 1);
}

TEST_F(CallBack, CancelIsTooLateInTheCallback) {
    CallHandle handle;
    handle = call_back(event.waiting(), [&](WaitResult) {
        ++calls;
        EXPECT_FALSE(handle.is_pending());
        EXPECT_FALSE(handle.cancel());
    });
    event.set();

    loop->run();

    EXPECT_EQ(calls, 1);
}

TEST_F(CallBack, HandleOutlivesItsLoop) {
    CallHandle handle = call_back(event.waiting(), count());

    loop.reset();

    EXPECT_FALSE(handle.is_pending());
    EXPECT_FALSE(handle.cancel());
    handle.unref();
}

TEST_F(CallBack, CancelOnAnotherThreadIsRefused) {
    CallHandle handle = call_back(event.waiting(), count());

    std::thread([&] { EXPECT_THROW(handle.cancel(), std::logic_error); }).join();

    EXPECT_TRUE(handle.is_pending());
}

TEST_F(CallBack, UnrefLetsTheLoopEnd) {
    CallHandle handle = call_back(event.waiting(), count());
    handle.unref();

    loop->run();

    EXPECT_TRUE(handle.is_pending());
    event.set();
    while (loop->poll()) {
    }
    EXPECT_EQ(calls, 1);
}

TEST_F(CallBack, ExceptionsGoToTheUnhandledHandler) {
    int unhandled = 0;
    loop->set_unhandled_handler([&](std::exception_ptr) { ++unhandled; });
    event.set();

    call_back(event.waiting(), [](WaitResult) { throw std::runtime_error("callback"); });
    call_back(Failing{word}, [](int) { ADD_FAILURE(); });
    loop->run();

    EXPECT_EQ(unhandled, 2);
}

TEST_F(CallBack, MayTakeTheErrorOfTheResult) {
    struct Both {
        void operator()(int) const { ADD_FAILURE(); }
        void operator()(std::exception_ptr error) const {
            ++*errors;
            EXPECT_THROW(std::rethrow_exception(error), std::runtime_error);
        }
        int* errors;
    };
    int errors = 0;

    call_back(Failing{word}, Both{&errors});
    loop->run();

    EXPECT_EQ(errors, 1);
}

TEST_F(CallBack, CanBeginAnother) {
    Channel<int> channel(4);
    int sum = 0;
    std::function<void()> receive = [&] {
        call_back(channel.receiving(), [&](futon::Received<int> item) {
            if (!item) return;
            sum += *item;
            receive();
        });
    };
    receive();
    std::jthread sender([&] {
        for (int i = 1; i <= 100; ++i) EXPECT_TRUE(channel.send(i));
        channel.close();
    });

    loop->run();

    EXPECT_EQ(sum, 5050);
}

TEST_F(CallBack, TakesWhatCanOnlyBeMoved) {
    event.set();
    int value = 0;

    call_back(event.waiting(), [&, number = std::make_unique<int>(7)](WaitResult) { value = *number; });
    loop->run();

    EXPECT_EQ(value, 7);
}

TEST_F(CallBack, NeedsAnExecutor) {
    loop.reset();

    EXPECT_THROW(call_back(event.waiting(), count()), futon::NoExecutor);

    EXPECT_EQ(alive.use_count(), 1);
}

TEST_F(CallBack, RefusesAnOperationThatWasUsed) {
    auto op = lock.locking();
    call_back(std::move(op), [](Guard) {});

    EXPECT_THROW(call_back(std::move(op), [](Guard) {}), std::logic_error);
}

TEST(CallBackRace, CancelAgainstNotify) {
    EventLoop loop;
    for (int round = 0; round < 2000; ++round) {
        futon::AutoResetEvent signal;
        int first_calls = 0;
        int second_calls = 0;
        std::atomic<bool> is_set{false};
        std::jthread setter;
        CallHandle first = call_back(signal.waiting(), [&](WaitResult) { ++first_calls; });
        CallHandle second = call_back(signal.waiting(), [&](WaitResult) { ++second_calls; });
        setter = std::jthread([&] {
            signal.set();
            is_set = true;
        });
        const bool is_cancelled = first.cancel();
        futon::test::until([&] { return is_set.load(); });
        while (loop.poll()) {
        }
        ASSERT_TRUE(is_cancelled);
        ASSERT_EQ(first_calls, 0);
        ASSERT_EQ(second_calls, 1);
    }
}

}  // namespace
