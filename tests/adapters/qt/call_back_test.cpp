// SPDX-License-Identifier: MIT
#include <atomic>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

#include <QtCore/QObject>
#include <QtCore/QThread>

#include <futon/futon.hpp>
#include <futon/qt.hpp>

#include "application.hpp"
#include "support/gtest.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using futon::AsyncLock;
using futon::WaitResult;
using futon::qt::call_back;
using futon::qt::Loop;
using futon::test::Application;
using futon::test::until_waiting;
using futon::test::waiting_at;

class QtCallBack : public testing::Test {
protected:
    /// Runs what is ready, and what that causes.
    void settle() {
        for (int i = 0; i < 4; ++i) QCoreApplication::processEvents();
    }

    Application app;
    Loop loop;
    AsyncLock lock;
    std::atomic<int> word{0};
    std::unique_ptr<QObject> receiver = std::make_unique<QObject>();
};

TEST_F(QtCallBack, CallsWithTheResult) {
    std::optional<WaitResult> result;
    call_back(futon::waiting(word, 0), receiver.get(), [&](WaitResult r) {
        result = r;
        app.quit();
    });

    std::jthread waker([&] {
        word = 1;
        futon::notify(word);
    });
    app.run();

    EXPECT_EQ(result, WaitResult::ok);
}

TEST_F(QtCallBack, NeverCallsWithinTheCall) {
    bool has_locked = false;

    call_back(lock.locking(), receiver.get(), [&](AsyncLock::Guard guard) { has_locked = guard.owns_lock(); });
    EXPECT_FALSE(has_locked);
    settle();

    EXPECT_TRUE(has_locked);
    EXPECT_TRUE(lock.try_lock());
    lock.unlock();
}

TEST_F(QtCallBack, CallsAMemberFunctionOfTheReceiver) {
    struct Window : QObject {
        void locked(AsyncLock::Guard) { has_locked = true; }
        bool has_locked = false;
    } window;

    call_back(lock.locking(), &window, &Window::locked);
    settle();

    EXPECT_TRUE(window.has_locked);
}

TEST_F(QtCallBack, TakesALimitAndAStop) {
    std::stop_source stop;
    std::vector<WaitResult> results;
    const auto take_down = [&](WaitResult result) {
        results.push_back(result);
        if (results.size() == 3) app.quit();
    };

    stop.request_stop();
    call_back(futon::waiting(word, 0), stop.get_token(), receiver.get(), take_down);
    call_back(futon::waiting(word, 0), 1ms, receiver.get(), take_down);
    std::stop_source later;
    call_back(futon::waiting(word, 0), {1h, later.get_token()}, receiver.get(), take_down);
    auto timer = loop.post_after(5ms, [&] { later.request_stop(); });
    app.run();

    EXPECT_EQ(results, (std::vector{WaitResult::cancelled, WaitResult::timed_out, WaitResult::cancelled}));
}

TEST_F(QtCallBack, AReceiverThatIsDestroyedLeavesTheQueueAtOnce) {
    const auto alive = std::make_shared<int>(0);
    call_back(futon::waiting(word, 0), receiver.get(), [alive](WaitResult) { FAIL(); });
    ASSERT_EQ(waiting_at(word), 1u);

    receiver.reset();

    EXPECT_EQ(waiting_at(word), 0u);
    EXPECT_EQ(alive.use_count(), 1);
    EXPECT_EQ(futon::notify(word), 0u);
    settle();
}

TEST_F(QtCallBack, AReceiverThatIsDestroyedLetsOthersHaveWhatItGotAtOnce) {
    call_back(lock.locking(), receiver.get(), [](AsyncLock::Guard) { FAIL(); });
    ASSERT_FALSE(lock.try_lock());

    receiver.reset();
    settle();

    EXPECT_TRUE(lock.try_lock());
    lock.unlock();
}

TEST_F(QtCallBack, AWakeUpOfAReceiverThatIsDestroyedGoesToTheNextWaiter) {
    futon::Semaphore semaphore(0);
    bool has_next = false;
    call_back(semaphore.acquiring(), receiver.get(), [](WaitResult) { FAIL(); });
    QObject next;
    call_back(semaphore.acquiring(), &next, [&](WaitResult) { has_next = true; });

    semaphore.release();
    receiver.reset();  // woken, and not called yet
    settle();

    EXPECT_TRUE(has_next);
}

TEST_F(QtCallBack, AnItemForAReceiverThatIsDestroyedStaysInTheChannel) {
    futon::Channel<int> channel(1);
    call_back(channel.receiving(), receiver.get(), [](auto) { FAIL(); });

    ASSERT_TRUE(channel.try_send(7));
    receiver.reset();
    settle();

    EXPECT_EQ(channel.try_receive().value_or(0), 7);
}

TEST_F(QtCallBack, TheCallbackMayDestroyItsReceiver) {
    bool was_called = false;
    call_back(lock.locking(), receiver.get(), [&](AsyncLock::Guard) {
        receiver.reset();
        was_called = true;
    });

    settle();

    EXPECT_TRUE(was_called);
}

TEST_F(QtCallBack, ACallbackMayDestroyTheReceiverOfAnother) {
    auto other = std::make_unique<QObject>();
    std::atomic<int> second{0};
    call_back(futon::waiting(word, 0), receiver.get(), [&](WaitResult) { other.reset(); });
    call_back(futon::waiting(second, 0), other.get(), [&](WaitResult) { FAIL(); });

    futon::notify(word);
    futon::notify(second);
    settle();

    EXPECT_EQ(other, nullptr);
}

TEST_F(QtCallBack, OneReceiverMayHaveManyCalls) {
    int calls = 0;
    for (int i = 0; i < 100; ++i) call_back(futon::waiting(word, 0), receiver.get(), [&](WaitResult) { ++calls; });

    futon::notify(word, 60);
    settle();
    EXPECT_EQ(calls, 60);
    receiver.reset();

    EXPECT_EQ(waiting_at(word), 0u);
    settle();
    EXPECT_EQ(calls, 60);
}

TEST_F(QtCallBack, TheLoopMayEndBeforeTheReceiver) {
    auto own = std::make_unique<Loop>();
    const auto alive = std::make_shared<int>(0);
    call_back(futon::waiting(word, 0), receiver.get(), [alive](WaitResult) { FAIL(); });

    own.reset();

    EXPECT_EQ(waiting_at(word), 0u);
    EXPECT_EQ(alive.use_count(), 1);
    receiver.reset();
}

TEST_F(QtCallBack, GivesExceptionsOfTheCallbackToTheHandler) {
    int handled = 0;
    loop.set_unhandled_handler([&](std::exception_ptr) { ++handled; });

    call_back(lock.locking(), receiver.get(), [](AsyncLock::Guard) { throw std::runtime_error("no paper"); });
    settle();

    EXPECT_EQ(handled, 1);
    EXPECT_TRUE(lock.try_lock());
    lock.unlock();
}

TEST_F(QtCallBack, ReceiversMayEndWhileWorkersNotify) {
    std::atomic<bool> goes_on{true};
    std::jthread worker([&] {
        while (goes_on) futon::notify(word, 1);
    });
    for (int i = 0; i < 500; ++i) {
        QObject mayfly;
        call_back(futon::waiting(word, 0), &mayfly, [](WaitResult) {});
        call_back(futon::waiting(word, 0), 1ms, &mayfly, [](WaitResult) {});
        if (i % 2 == 0) QCoreApplication::processEvents();
    }
    goes_on = false;
    worker.join();
    EXPECT_EQ(waiting_at(word), 0u);
}

TEST_F(QtCallBack, ANullReceiverIsRefused) {
    QObject* const null = nullptr;
    EXPECT_THROW(call_back(lock.locking(), null, [](AsyncLock::Guard) {}), std::invalid_argument);
    EXPECT_TRUE(lock.try_lock());
    lock.unlock();
}

TEST_F(QtCallBack, AReceiverOfAnotherThreadIsRefused) {
    QThread thread;
    receiver->moveToThread(&thread);

    EXPECT_THROW(call_back(lock.locking(), receiver.get(), [](AsyncLock::Guard) {}), std::invalid_argument);

    EXPECT_TRUE(lock.try_lock());
    lock.unlock();
}

TEST_F(QtCallBack, AThreadWithoutALoopIsRefused) {
    std::jthread([&] {
        QObject here;
        EXPECT_THROW(call_back(lock.locking(), &here, [](AsyncLock::Guard) {}), futon::NoExecutor);
    }).join();
    EXPECT_TRUE(lock.try_lock());
    lock.unlock();
}

TEST(QtCallBackDeathTest, AReceiverThatWasMovedAndIsDestroyedElsewhereEndsTheProgram) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_DEATH(
        {
            Application app;
            Loop loop;
            std::atomic<int> word{0};
            auto* receiver = new QObject;
            call_back(futon::waiting(word, 0), receiver, [](WaitResult) {});
            QThread thread;
            receiver->moveToThread(&thread);
            std::thread([&] { delete receiver; }).join();
        },
        "a receiver stays in its thread");
}

}  // namespace
