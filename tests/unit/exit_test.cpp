// SPDX-License-Identifier: MIT
// Processes that end, or whose threads end, amid waits: static and thread_local destructors, std::exit, pthread_cancel.
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <thread>

#if __has_include(<pthread.h>)
#include <pthread.h>
#endif

#include <futon/futon.hpp>

#include "support/child.hpp"
#include "support/gtest.hpp"
#include "support/platform.hpp"
#include "support/scale.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using futon::AsyncLock;
using futon::EventLoop;
using futon::WaitResult;
using futon::test::until_waiting;

std::atomic<int> cell{0};
AsyncLock lock;

/// Each program is a process of its own, which is executed anew so that it may have threads.
class ExitDeathTest : public testing::Test {
protected:
    void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

/// Uses everything in its destructor, and says so.
struct LastUser {
    LastUser() { lock.lock(); }
    ~LastUser() {
        futon::notify(cell);
        lock.unlock();
        const bool has_locked = lock.try_lock_for(1h);
        const bool has_timed_out = futon::wait(cell, cell.load(), 1ms) == WaitResult::timed_out;
        EventLoop loop;
        bool has_run = false;
        loop.post([&] { has_run = true; });
        loop.run();
        std::fputs(has_locked && has_timed_out && has_run ? "used to the last\n" : "failed\n", stderr);
    }
};

TEST_F(ExitDeathTest, StaticDestructorsUseEverything) {
    const auto program = [] {
        static LastUser user;
        std::exit(3);
    };

    EXPECT_EXIT(program(), testing::ExitedWithCode(3), "used to the last");
}

TEST_F(ExitDeathTest, ThreadLocalDestructorsUseEverything) {
    const auto program = [] {
        std::thread([] {
            thread_local LastUser user;
            static_cast<void>(user);
        }).join();
        std::exit(3);
    };

    EXPECT_EXIT(program(), testing::ExitedWithCode(3), "used to the last");
}

TEST_F(ExitDeathTest, AnotherThreadExitsWhileALoopRunsAndThreadsWait) {
    const auto program = [] {
        static LastUser user;
        std::thread([] { futon::wait(cell, 0); }).detach();
        std::thread([] {
            until_waiting(cell, 1);
            until_waiting(lock, 1);
            std::exit(3);
        }).detach();
        EventLoop loop;
        if (futon::test::has_descriptors) loop.native_handle();
        const auto promise = lock.execute_locked([] {});
        const auto guard = loop.keep_running();
        loop.run();
    };

    EXPECT_EXIT(program(), testing::ExitedWithCode(3), "used to the last");
}

TEST_F(ExitDeathTest, AStaticLoopEndsWithTheProgram) {
    const auto program = [] {
        static EventLoop loop;
        static auto promise = futon::wait_async(cell, 0, 1h).promise();
        loop.post([] {});
        std::exit(3);
    };

    EXPECT_EXIT(program(), testing::ExitedWithCode(3), "");
}

TEST_F(ExitDeathTest, AStaticLoopWhoseProgramExitsOnAnotherThreadAborts) {
    const auto program = [] {
        static EventLoop loop;
        std::thread([] { std::exit(3); }).join();
    };

    EXPECT_DEATH(program(), "broken rule: an agent ends on the thread that made it");
}

TEST_F(ExitDeathTest, AStaticLoopWhoseJobExitsAborts) {
    const auto program = [] {
        static EventLoop loop;
        loop.post([] { std::exit(3); });
        loop.run();
    };

    EXPECT_DEATH(program(), "broken rule: an event loop is not destroyed by a job of its own");
}

TEST_F(ExitDeathTest, AStaticLoopThatIsNeverDestroyedDoesNot) {
    const auto program = [] {
        static EventLoop& loop = *new EventLoop;
        loop.post([] { std::exit(3); });
        loop.run();
    };

    EXPECT_EXIT(program(), testing::ExitedWithCode(3), "");
}

TEST_F(ExitDeathTest, ALocalLoopWhoseJobExitsDoesNot) {
    const auto program = [] {
        EventLoop loop;
        loop.post([] { std::exit(3); });
        loop.run();
    };

    EXPECT_EXIT(program(), testing::ExitedWithCode(3), "");
}

TEST(EventLoop, ThatIsThreadLocalEndsWithItsThread) {
#if defined(__MINGW32__) && defined(__GNUC__)
    GTEST_SKIP() << "MinGW frees a thread's variables before it calls their destructors; see docs/windows.md";
#endif
    std::atomic<int> own{0};

    std::thread([&] {
        thread_local EventLoop loop;
        thread_local auto promise = futon::wait_async(own, 0).promise();
        loop.post([&] { own = 1; });
        loop.poll();
        own = 0;
    }).join();

    EXPECT_EQ(futon::test::waiting_at(own), 0u);
}

#if defined(FUTON_PLATFORM_IS_generic) && !defined(_WIN32)

TEST_F(ExitDeathTest, CancellingABlockedThreadEndsTheProgram) {
    const auto program = [] {
        std::thread waiter([] { futon::wait(cell, 0); });
        until_waiting(cell, 1);
        pthread_cancel(waiter.native_handle());
        waiter.join();
    };

    EXPECT_EXIT(program(), testing::KilledBySignal(SIGABRT), "");
}

#endif

#ifdef FUTON_PLATFORM_IS_linux

// A cancellation unwinds the stack by glibc's library; in a program of libc++, whose exceptions are LLVM's, it crashes any thread that has a
// destructor to run.
#ifdef _LIBCPP_VERSION
constexpr bool can_be_cancelled = false;
#else
constexpr bool can_be_cancelled = true;
#endif

class PthreadCancel : public testing::Test {
protected:
    void SetUp() override {
        if (futon::test::is_sanitized) GTEST_SKIP() << "sanitizers lose track of a stack that is unwound by force";
        if (!can_be_cancelled) GTEST_SKIP() << "with libc++ a cancelled thread crashes";
    }
};

TEST_F(PthreadCancel, AThreadStaysBlockedUntilItsWaitHasEnded) {
    std::atomic<int> word{0};
    std::atomic<bool> has_waited{false};
    std::atomic<bool> may_end{false};
    std::thread waiter([&] {
        has_waited = futon::wait(word, 0) == WaitResult::ok;
        futon::test::until([&] { return may_end.load(); });
        pthread_testcancel();
        ADD_FAILURE() << "it was not cancelled";
    });
    until_waiting(word, 1);

    pthread_cancel(waiter.native_handle());
    EXPECT_EQ(futon::notify(word), 1u);
    futon::test::until([&] { return has_waited.load(); });
    may_end = true;
    waiter.join();
}

TEST_F(PthreadCancel, ALoopRunsOn) {
    for (const bool has_handle : {false, true}) {
        std::atomic<int> word{0};
        std::atomic<bool> has_ended{false};
        std::thread looper([&] {
            EventLoop loop;
            if (has_handle) loop.native_handle();
            auto promise = futon::wait_async(word, 0).promise();
            auto limited = futon::wait_async(word, 0, 1h).promise();
            has_ended = loop.run_until(promise) == WaitResult::ok && loop.run_until(limited) == WaitResult::ok;
        });
        until_waiting(word, 2);

        pthread_cancel(looper.native_handle());
        EXPECT_EQ(futon::notify(word), 2u);
        looper.join();

        EXPECT_TRUE(has_ended);
    }
}

TEST_F(PthreadCancel, ACancelledThreadNotifiesALoopWithAHandle) {
    EventLoop loop;
    loop.native_handle();
    std::atomic<int> word{0};
    auto promise = futon::wait_async(word, 0).promise();
    std::thread notifier([&] {
        pthread_cancel(pthread_self());
        futon::notify(word);
    });

    EXPECT_EQ(loop.run_until(promise), WaitResult::ok);
    notifier.join();
}

TEST_F(ExitDeathTest, ACancellationWithinAJobEndsTheProgram) {
    if (!can_be_cancelled) GTEST_SKIP() << "with libc++ a cancelled thread crashes";
    const auto program = [] {
        EventLoop loop;
        loop.post([] {
            pthread_cancel(pthread_self());
            pthread_testcancel();
        });
        loop.run();
    };

    EXPECT_EXIT(program(), testing::KilledBySignal(SIGABRT), "");
}

#endif

#ifdef FUTON_TESTS_CAN_FORK

TEST_F(ExitDeathTest, AChildThatExitsDestroysItsStaticObjects) {
    const auto program = [] {
        static LastUser user;
        static EventLoop loop;
        static auto promise = futon::wait_async(cell, 0, 1h).promise();
        loop.post([] {
            const pid_t child = fork();
            if (child == 0) std::exit(3);
            int status = 0;
            waitpid(child, &status, 0);
            if (!WIFEXITED(status) || WEXITSTATUS(status) != 3) std::abort();
        });
        loop.run_until(futon::wait_async(cell, 0, 1ms).promise());
        std::exit(4);
    };

    EXPECT_EXIT(program(), testing::ExitedWithCode(4), "used to the last\nused to the last");
}

#endif

}  // namespace
