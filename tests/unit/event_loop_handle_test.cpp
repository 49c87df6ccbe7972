// SPDX-License-Identifier: MIT
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>

#ifdef FUTON_PLATFORM_IS_linux
#include <sys/epoll.h>
#include <unistd.h>
#endif

#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/native_handle.hpp"
#include "support/platform.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using futon::EventLoop;
using futon::NativeHandle;
using futon::notify;
using futon::wait_async;
using futon::test::becomes_readable;
using futon::test::is_readable;
using futon::test::until_after;

TEST(NativeHandle, IsRefusedWhereThePlatformHasNone) {
    if (futon::test::has_descriptors) GTEST_SKIP() << "this platform has descriptors";
    EventLoop loop;

    try {
        loop.native_handle();
        FAIL() << "native_handle() did not throw";
    } catch (const std::system_error& error) {
        EXPECT_EQ(error.code(), std::errc::function_not_supported);
    }
}

/// A loop that is embedded in another by its descriptor.
class NativeHandleOfALoop : public testing::Test {
protected:
    void SetUp() override {
        if (!futon::test::has_descriptors) GTEST_SKIP() << "this platform has no descriptors";
    }

    EventLoop loop;
};

TEST_F(NativeHandleOfALoop, IsNotReadableWhenIdle) {
    const NativeHandle descriptor = loop.native_handle();

    EXPECT_FALSE(is_readable(descriptor));
}

TEST_F(NativeHandleOfALoop, StaysTheSame) {
    EXPECT_EQ(loop.native_handle(), loop.native_handle());
}

TEST_F(NativeHandleOfALoop, IsReadableForAJobPostedBefore) {
    loop.post([] {});

    EXPECT_TRUE(is_readable(loop.native_handle()));
}

TEST_F(NativeHandleOfALoop, BecomesReadableForAJob) {
    const NativeHandle descriptor = loop.native_handle();

    loop.post([] {});

    EXPECT_TRUE(is_readable(descriptor));
}

TEST_F(NativeHandleOfALoop, BecomesReadableForAJobOfAnotherThread) {
    const NativeHandle descriptor = loop.native_handle();
    const std::jthread poster([&] { loop.post([] {}); });

    EXPECT_TRUE(becomes_readable(descriptor));
}

TEST_F(NativeHandleOfALoop, BecomesReadableForANotifyOfAnotherThread) {
    const NativeHandle descriptor = loop.native_handle();
    std::atomic<int> cell{0};
    const auto promise = wait_async(cell, 0).promise();
    const std::jthread notifier([&] { notify(cell); });

    EXPECT_TRUE(becomes_readable(descriptor));
    loop.poll();
    EXPECT_TRUE(promise.is_settled());
}

TEST_F(NativeHandleOfALoop, BecomesReadableForAStop) {
    const NativeHandle descriptor = loop.native_handle();
    const std::jthread stopper([&] { loop.stop(); });

    EXPECT_TRUE(becomes_readable(descriptor));
}

TEST_F(NativeHandleOfALoop, IsNotReadableOnceAllIsDone) {
    const NativeHandle descriptor = loop.native_handle();
    loop.post([] {});
    loop.poll();

    EXPECT_FALSE(is_readable(descriptor));
}

TEST_F(NativeHandleOfALoop, IsReadableAgainForEachJob) {
    const NativeHandle descriptor = loop.native_handle();
    int runs = 0;

    for (int i = 0; i < 100; ++i) {
        loop.post([&] { ++runs; });
        EXPECT_TRUE(is_readable(descriptor));
        loop.poll();
        EXPECT_FALSE(is_readable(descriptor));
    }

    EXPECT_EQ(runs, 100);
}

TEST_F(NativeHandleOfALoop, StaysReadableForWhatAPolledJobPosts) {
    const NativeHandle descriptor = loop.native_handle();
    loop.post([&] { loop.post([] {}); });

    loop.poll();

    EXPECT_TRUE(is_readable(descriptor));
}

TEST_F(NativeHandleOfALoop, BecomesReadableWhenATimerIsDue) {
    const NativeHandle descriptor = loop.native_handle();
    bool has_fired = false;
    loop.post_after(2ms, [&] { has_fired = true; });

    while (!has_fired) {
        EXPECT_TRUE(becomes_readable(descriptor));
        loop.poll();
    }

    EXPECT_FALSE(is_readable(descriptor));
}

TEST_F(NativeHandleOfALoop, BecomesReadableForATimerArmedBefore) {
    bool has_fired = false;
    loop.post_after(2ms, [&] { has_fired = true; });
    const NativeHandle descriptor = loop.native_handle();

    while (!has_fired) {
        EXPECT_TRUE(becomes_readable(descriptor));
        loop.poll();
    }

    EXPECT_TRUE(has_fired);
}

TEST_F(NativeHandleOfALoop, BecomesReadableForATimerThatAPolledJobArms) {
    const NativeHandle descriptor = loop.native_handle();
    bool has_fired = false;
    loop.post([&] { loop.post_after(2ms, [&] { has_fired = true; }); });
    loop.poll();

    while (!has_fired) {
        EXPECT_TRUE(becomes_readable(descriptor));
        loop.poll();
    }

    EXPECT_TRUE(has_fired);
}

TEST_F(NativeHandleOfALoop, IsNotReadableForATimerThatIsFar) {
    const NativeHandle descriptor = loop.native_handle();
    loop.post_after(1h, [] {});

    EXPECT_FALSE(is_readable(descriptor));
}

TEST_F(NativeHandleOfALoop, IsReadableForExceptionsThatAreLeft) {
    const NativeHandle descriptor = loop.native_handle();
    const auto moment = Clock::now();
    for (int i = 0; i < 2; ++i) loop.post_at(moment, [] { throw std::runtime_error("broken"); });
    until_after(moment + 10us);
    EXPECT_THROW(loop.poll(), std::runtime_error);

    EXPECT_TRUE(is_readable(descriptor));
    EXPECT_THROW(loop.poll(), std::runtime_error);
    EXPECT_FALSE(is_readable(descriptor));
}

#ifdef FUTON_PLATFORM_IS_linux
TEST_F(NativeHandleOfALoop, CanBeWatchedByAnotherEpoll) {
    const NativeHandle descriptor = loop.native_handle();
    const int outer = epoll_create1(EPOLL_CLOEXEC);
    epoll_event watched{};
    watched.events = EPOLLIN;
    EXPECT_EQ(epoll_ctl(outer, EPOLL_CTL_ADD, descriptor, &watched), 0);
    const std::jthread poster([&] { loop.post([] {}); });

    epoll_event event{};
    EXPECT_EQ(epoll_wait(outer, &event, 1, -1), 1);

    close(outer);
}
#endif

TEST_F(NativeHandleOfALoop, DoesNotDisturbRun) {
    loop.native_handle();
    std::atomic<int> cell{0};
    auto by_notify = wait_async(cell, 0).promise();
    auto by_time = futon::test::short_wait(cell).promise;
    const std::jthread notifier([&] { notify(cell, 1); });

    loop.run();

    EXPECT_TRUE(by_notify.is_settled());
    EXPECT_TRUE(by_time.is_settled());
}

TEST_F(NativeHandleOfALoop, CanBeAskedForInsideAJob) {
    NativeHandle descriptor{};
    loop.post([&] { descriptor = loop.native_handle(); });
    loop.post([] {});

    loop.run();

    EXPECT_FALSE(is_readable(descriptor));
}

TEST_F(NativeHandleOfALoop, BecomesReadableForEveryJobOfManyThreads) {
    constexpr int threads = 3;
    constexpr int rounds = 1000;
    const NativeHandle descriptor = loop.native_handle();
    int runs = 0;
    std::vector<std::jthread> posters;
    for (int i = 0; i < threads; ++i) {
        posters.emplace_back([&] {
            for (int round = 0; round < rounds; ++round) loop.post([&] { ++runs; });
        });
    }

    while (runs < threads * rounds) {
        EXPECT_TRUE(becomes_readable(descriptor));
        loop.poll();
    }

    EXPECT_EQ(runs, threads * rounds);
}

}  // namespace
