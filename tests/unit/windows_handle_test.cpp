// SPDX-License-Identifier: MIT
// A loop embedded in what waits for handles on Windows: messages, the thread pool; and handles that a program misuses.
#ifdef FUTON_PLATFORM_IS_windows

#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/native_handle.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using futon::EventLoop;
using futon::test::is_readable;

TEST(HandleOfALoop, CanBeWaitedForTogetherWithMessages) {
    constexpr int count = 50;
    EventLoop loop;
    const HANDLE handle = loop.native_handle();
    MSG message;
    PeekMessageW(&message, nullptr, WM_APP, WM_APP, PM_NOREMOVE);  // makes the thread's queue
    const DWORD thread = GetCurrentThreadId();
    int runs = 0;
    int messages = 0;
    const std::jthread poster([&] {
        for (int i = 0; i < count; ++i) {
            loop.post([&] { ++runs; });
            EXPECT_TRUE(PostThreadMessageW(thread, WM_APP, 0, 0));
        }
    });

    while (runs < count || messages < count) {
        if (MsgWaitForMultipleObjectsEx(1, &handle, INFINITE, QS_ALLINPUT, MWMO_INPUTAVAILABLE) == WAIT_OBJECT_0)
            loop.poll();
        while (PeekMessageW(&message, nullptr, WM_APP, WM_APP, PM_REMOVE)) ++messages;
    }

    EXPECT_EQ(runs, count);
    EXPECT_EQ(messages, count);
}

TEST(HandleOfALoop, CanBeWaitedForByTheThreadPool) {
    EventLoop loop;
    const HANDLE handle = loop.native_handle();
    std::atomic<int> seen{0};
    HANDLE registered = nullptr;
    const WAITORTIMERCALLBACK on_ready = [](void* count, BOOLEAN) { ++*static_cast<std::atomic<int>*>(count); };
    ASSERT_TRUE(RegisterWaitForSingleObject(&registered, handle, on_ready, &seen, INFINITE, WT_EXECUTEONLYONCE));
    bool has_fired = false;
    loop.post_after(2ms, [&] { has_fired = true; });

    futon::test::until([&] { return seen == 1; });
    while (!has_fired) loop.poll();

    EXPECT_TRUE(UnregisterWaitEx(registered, INVALID_HANDLE_VALUE));
}

TEST(HandleOfALoop, CanBeWaitedForBesideThatOfAnother) {
    EventLoop loop;
    std::atomic<bool> is_made{false};
    std::atomic<bool> may_end{false};
    HANDLE others = nullptr;
    std::jthread other([&] {
        EventLoop its;
        others = its.native_handle();
        its.post([] {});
        is_made = true;
        futon::test::until([&] { return may_end.load(); });
        its.poll();
    });
    futon::test::until([&] { return is_made.load(); });
    const std::array<HANDLE, 2> handles{loop.native_handle(), others};

    EXPECT_EQ(WaitForMultipleObjects(2, handles.data(), FALSE, INFINITE), WAIT_OBJECT_0 + 1);
    loop.post([] {});
    EXPECT_EQ(WaitForMultipleObjects(2, handles.data(), TRUE, INFINITE), WAIT_OBJECT_0);

    may_end = true;
}

TEST(HandleOfALoop, IsSilencedByAPollThatFindsNothing) {
    EventLoop loop;
    const HANDLE handle = loop.native_handle();
    SetEvent(handle);  // which is not the program's to do

    EXPECT_FALSE(loop.poll());

    EXPECT_FALSE(is_readable(handle));
    loop.post([] {});
    EXPECT_TRUE(is_readable(handle));
}

TEST(HandleOfALoop, ThatIsResetByOthersIsSetAgainByTheNextPoll) {
    EventLoop loop;
    const HANDLE handle = loop.native_handle();
    loop.post([] {});
    ResetEvent(handle);  // which is not the program's to do

    EXPECT_TRUE(loop.poll());
    loop.post([] {});

    EXPECT_TRUE(is_readable(handle));
}

/// A process of its own: the number of the closed handle goes to another object, which the loop's end then closes.
TEST(HandleOfALoopDeathTest, ThatIsClosedByOthersLeavesTheLoopRunning) {
    const auto program = [] {
        EventLoop loop;
        CloseHandle(loop.native_handle());  // which is not the program's to do
        std::atomic<int> word{0};
        auto notified = futon::wait_async(word, 0).promise();
        auto late = futon::wait_async(word, 0, 2ms).promise();
        const std::jthread notifier([&] {
            futon::test::until_waiting(word, 1);
            futon::notify(word);
        });
        loop.run();
        std::_Exit(notified.is_settled() && late.is_settled() ? 3 : 1);
    };

    EXPECT_EXIT(program(), testing::ExitedWithCode(3), "");
}

}  // namespace

#endif
