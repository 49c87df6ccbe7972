// SPDX-License-Identifier: MIT
// Loops that their threads' own loops run: what holds where threads have none. tests/web has the rest.
#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <futon/futon.hpp>

#include "platform/clock.hpp"
#include "platform/host.hpp"
#include "support/gtest.hpp"

namespace {

using futon::CanBlock;
using futon::EventLoop;
using futon::make_promise;
using futon::Promise;
using futon::platform::shared_now;

#ifndef FUTON_PLATFORM_IS_emscripten
TEST(EventLoopStart, IsRefusedWhereThreadsHaveNoLoopsOfTheirOwn) {
    EventLoop loop;

    try {
        loop.start();
        FAIL() << "it has started";
    } catch (const std::system_error& error) {
        EXPECT_EQ(error.code(), std::errc::function_not_supported);
        EXPECT_NE(std::string(error.what()).find("futon::EventLoop::start"), std::string::npos);
    }

    EXPECT_FALSE(loop.is_started());
    bool has_run = false;
    loop.post([&] { has_run = true; });
    loop.run();
    EXPECT_TRUE(has_run) << "the loop is as it was";
}
#endif

TEST(EventLoopStart, IsRefusedOnAnotherThread) {
    EventLoop loop;

    std::jthread([&] {
        EXPECT_THROW(loop.start(), std::logic_error);
        EXPECT_THROW(static_cast<void>(loop.is_started()), std::logic_error);
    }).join();
}

TEST(EventLoopRunThen, RunsUntilThePromiseHasSettledWhereTheLoopIsNotStarted) {
    EventLoop loop;
    auto [promise, source] = make_promise<int>();
    loop.post([&source = source] { source.fulfil(7); });
    int got = 0;

    loop.run_then(std::move(promise), [&](int value) { got = value; });

    EXPECT_EQ(got, 7);
}

TEST(EventLoopRunThen, CallsWithoutAnArgumentForAPromiseOfNothing) {
    EventLoop loop;
    auto [promise, source] = make_promise<void>();
    loop.post([&source = source] { source.fulfil(); });
    bool is_called = false;

    loop.run_then(std::move(promise), [&] { is_called = true; });

    EXPECT_TRUE(is_called);
}

TEST(EventLoopRunThen, ARejectionLeavesAsFromRunUntil) {
    EventLoop loop;
    auto [promise, source] = make_promise<int>();
    loop.post([&source = source] { source.reject(std::make_exception_ptr(std::runtime_error("it failed"))); });

    EXPECT_THROW(loop.run_then(std::move(promise), [](int) { FAIL() << "it was rejected"; }), std::runtime_error);
}

TEST(SharedClock, ReadsNoLessOnAnotherThreadThatComesAfterwards) {
    auto latest = shared_now();
    for (int i = 0; i < 20; ++i) {
        std::jthread([&] {
            const auto time = shared_now();
            EXPECT_GE(time, latest);
            latest = time;
        }).join();
        const auto time = shared_now();
        EXPECT_GE(time, latest);
        latest = time;
    }
}

#ifdef FUTON_PLATFORM_IS_emscripten  // whose clocks step by microseconds, or more
TEST(SharedClock, NeverReadsTheSameTwice) {
    std::vector<std::vector<std::chrono::nanoseconds>> readings(3);
    {
        std::vector<std::jthread> threads;
        for (auto& own : readings)
            threads.emplace_back([&own] {
                for (int i = 0; i < 10'000; ++i) own.push_back(shared_now());
            });
    }
    std::vector<std::chrono::nanoseconds> all;
    for (const auto& own : readings) {
        EXPECT_TRUE(std::is_sorted(own.begin(), own.end()));
        all.insert(all.end(), own.begin(), own.end());
    }
    std::sort(all.begin(), all.end());

    // A lock keeps times without their last bit, and orders its waiters by them.
    EXPECT_EQ(std::adjacent_find(all.begin(), all.end(), [](auto one, auto next) { return (next - one).count() < 2; }),
              all.end());
}
#endif

}  // namespace
