// SPDX-License-Identifier: MIT
// A job of an embedded loop runs its host's loop within itself, as a modal dialog does.
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

#include <futon/core/loop/loop_executor.hpp>
#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/native_handle.hpp"
#include "support/platform.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using futon::EventLoop;
using futon::core::LoopExecutor;
using futon::test::becomes_readable;
using futon::test::is_readable;

/// A loop whose handle a host watches. In each test the body of a job is the dialog.
class DialogInAJob : public testing::Test {
protected:
    void SetUp() override {
        if (!futon::test::has_descriptors) GTEST_SKIP() << "this platform has no descriptors";
        handle = loop.native_handle();
    }

    /// Polls until the handle is no more readable, as a host does that watches it.
    void serve() {
        while (is_readable(handle)) loop.poll();
    }

    template <class Dialog>
    void poll_with(Dialog dialog) {
        loop.post([this, dialog] {
            dialog();
            has_run = true;
        });
        serve();
        EXPECT_TRUE(has_run);
        EXPECT_FALSE(is_readable(handle));
    }

    EventLoop loop;
    futon::NativeHandle handle{};
    bool has_run = false;
    int runs = 0;
};

TEST_F(DialogInAJob, IsServedWhatIsReadyBehindIt) {
    loop.post([&] {
        EXPECT_TRUE(is_readable(handle));
        serve();
        EXPECT_EQ(runs, 2);
    });
    for (int i = 0; i < 2; ++i) loop.post([&] { ++runs; });

    serve();

    EXPECT_EQ(runs, 2);
    EXPECT_FALSE(is_readable(handle));
}

TEST_F(DialogInAJob, IsServedWhatItPosts) {
    poll_with([&] {
        for (int i = 1; i <= 3; ++i) {
            loop.post([&] { ++runs; });
            EXPECT_TRUE(is_readable(handle));
            serve();
            EXPECT_EQ(runs, i);
        }
    });
}

TEST_F(DialogInAJob, IsServedWhatAnotherThreadPosts) {
    poll_with([&] {
        serve();
        for (int i = 1; i <= 3; ++i) {
            EXPECT_FALSE(is_readable(handle));
            const std::jthread poster([&] { loop.post([&] { ++runs; }); });
            EXPECT_TRUE(becomes_readable(handle));
            serve();
            EXPECT_EQ(runs, i);
        }
    });
}

TEST_F(DialogInAJob, IsServedTheTimersItArms) {
    poll_with([&] {
        serve();
        loop.post_after(1ms, [&] { ++runs; });
        while (runs == 0) {
            EXPECT_TRUE(becomes_readable(handle));
            loop.poll();
        }
    });
}

TEST_F(DialogInAJob, IsServedInATimerToo) {
    loop.post_after(0ms, [&] {
        loop.post([&] { ++runs; });
        EXPECT_TRUE(is_readable(handle));
        serve();
        EXPECT_EQ(runs, 1);
    });

    while (runs == 0) {
        EXPECT_TRUE(becomes_readable(handle));
        loop.poll();
    }

    EXPECT_FALSE(is_readable(handle));
}

TEST_F(DialogInAJob, IsServedWhereTheLoopRunsByItself) {
    std::atomic<int> word{0};
    const auto waiting = futon::wait_async(word, 0).promise();
    const std::jthread poster([&] {
        loop.post([&] {
            loop.post([&] { ++runs; });
            EXPECT_TRUE(becomes_readable(handle));  // by the poster, whose ring may be under way
            serve();
            EXPECT_EQ(runs, 1);
            EXPECT_FALSE(is_readable(handle));
            loop.post([&] { ++runs; });
            EXPECT_TRUE(is_readable(handle));
            loop.post([&] { futon::notify(word); });
        });
    });

    loop.run();

    EXPECT_EQ(runs, 2);
    EXPECT_FALSE(is_readable(handle));
}

TEST_F(DialogInAJob, IsServedBehindANestedRunUntil) {
    std::atomic<int> word{0};
    poll_with([&] {
        loop.post([&] { futon::notify(word); });
        loop.run_until(futon::wait_async(word, 0).promise());
        loop.post([&] { ++runs; });
        EXPECT_TRUE(is_readable(handle));
        serve();
        EXPECT_EQ(runs, 1);
    });
}

TEST_F(DialogInAJob, IsServedWhatAnExceptionCameBefore) {
    poll_with([&] {
        loop.post([] { throw std::runtime_error("broken"); });
        loop.post([&] { ++runs; });
        EXPECT_THROW(loop.poll(), std::runtime_error);
        EXPECT_TRUE(is_readable(handle));
        serve();
        EXPECT_EQ(runs, 1);
    });
}

/// The same with a host that is woken by a call.
class DialogOfAnExecutor : public testing::Test {
protected:
    /// The host's loop: polls as often as it was called.
    void serve() {
        while (calls.exchange(0) > 0) executor.poll();
    }

    std::atomic<int> calls{0};
    LoopExecutor executor{[this]() noexcept { ++calls; }};
    int runs = 0;
};

TEST_F(DialogOfAnExecutor, IsServedWhatIsReadyBehindIt) {
    executor.post([&] {
        serve();
        EXPECT_EQ(runs, 2);
    });
    for (int i = 0; i < 2; ++i) executor.post([&] { ++runs; });

    serve();

    EXPECT_EQ(runs, 2);
}

TEST_F(DialogOfAnExecutor, IsServedWhatIsPosted) {
    executor.post([&] {
        executor.post([&] { ++runs; });
        serve();
        EXPECT_EQ(runs, 1);
        std::thread([&] { executor.post([&] { ++runs; }); }).join();
        serve();
        EXPECT_EQ(runs, 2);
    });

    serve();

    EXPECT_EQ(runs, 2);
}

TEST_F(DialogOfAnExecutor, IsCalledForTheTimersItArms) {
    executor.post([&] {
        executor.post_after(1h, [] {});
        EXPECT_EQ(calls.exchange(0), 1);
        executor.poll();
        executor.post_after(1ms, [&] { ++runs; });
        EXPECT_EQ(calls, 1);
        while (runs == 0) {
            std::this_thread::sleep_until(executor.next_deadline());
            executor.poll();
        }
    });

    serve();

    EXPECT_EQ(runs, 1);
}

TEST_F(DialogOfAnExecutor, IsCalledOnceForManyJobsWithoutADialog) {
    for (int i = 0; i < 100; ++i) executor.post([&] { ++runs; });
    calls = 0;

    executor.poll();

    EXPECT_EQ(runs, 100);
    EXPECT_EQ(calls, 1);
}

}  // namespace
