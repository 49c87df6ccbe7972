// SPDX-License-Identifier: MIT
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <futon/futon.hpp>

namespace {

using namespace std::chrono_literals;
using futon::EventLoop;

/// The texts of the exceptions that leave from the loop, one after the other, until it ends in peace.
std::vector<std::string> errors_of(EventLoop& loop) {
    std::vector<std::string> errors;
    while (true) {
        try {
            loop.run();
            return errors;
        } catch (const std::runtime_error& error) {
            errors.emplace_back(error.what());
        }
    }
}

TEST(EventLoop, LetsTheExceptionOfAPostedFunctionLeaveFromRun) {
    EventLoop loop;
    loop.post([] { throw std::runtime_error("broken"); });

    EXPECT_THROW(loop.run(), std::runtime_error);
}

TEST(EventLoop, LetsTheExceptionOfATimedFunctionLeaveFromRun) {
    EventLoop loop;
    loop.post_at(0ms, [] { throw std::runtime_error("broken"); });

    EXPECT_THROW(loop.run(), std::runtime_error);
}

TEST(EventLoop, LetsAnExceptionLeaveFromPoll) {
    EventLoop loop;
    loop.post([] { throw std::runtime_error("broken"); });

    EXPECT_THROW(loop.poll(), std::runtime_error);
}

TEST(EventLoop, LetsAnExceptionLeaveFromRunUntil) {
    EventLoop loop;
    std::atomic<int> cell{0};
    auto promise = futon::wait_async(cell, 0).promise();
    loop.post([] { throw std::runtime_error("broken"); });

    EXPECT_THROW(loop.run_until(promise), std::runtime_error);
}

TEST(EventLoop, IsUsableAfterAnExceptionLeft) {
    EventLoop loop;
    bool has_run = false;
    loop.post([] { throw std::runtime_error("broken"); });
    loop.post([&] { has_run = true; });
    EXPECT_THROW(loop.run(), std::runtime_error);
    const bool ran_before = has_run;

    loop.run();

    EXPECT_FALSE(ran_before);
    EXPECT_TRUE(has_run);
}

TEST(EventLoop, LetsEachOfSeveralExceptionsLeaveInTurn) {
    EventLoop loop;
    for (const char* text : {"first", "second", "third"}) loop.post([text] { throw std::runtime_error(text); });

    EXPECT_EQ(errors_of(loop), (std::vector<std::string>{"first", "second", "third"}));
}

TEST(EventLoop, LetsEachExceptionOfTimersThatFireTogetherLeaveInTurn) {
    EventLoop loop;
    const auto moment = std::chrono::steady_clock::now() + 1ms;
    for (const char* text : {"first", "second", "third"})
        loop.post_at(moment, [text] { throw std::runtime_error(text); });

    EXPECT_EQ(errors_of(loop), (std::vector<std::string>{"first", "second", "third"}));
}

TEST(EventLoop, TellsThatAPollHadWorkWhenAnExceptionWasLeft) {
    EventLoop loop;
    const auto moment = std::chrono::steady_clock::now();
    for (int i = 0; i < 2; ++i) loop.post_at(moment, [] { throw std::runtime_error("broken"); });
    EXPECT_THROW(loop.run(), std::runtime_error);

    EXPECT_THROW(loop.poll(), std::runtime_error);
    EXPECT_FALSE(loop.poll());
}

TEST(EventLoop, DropsExceptionsThatNobodyTookWhenItIsDestroyed) {
    {
        EventLoop loop;
        for (int i = 0; i < 3; ++i) loop.post_at(0ms, [] { throw std::runtime_error("broken"); });
        EXPECT_THROW(loop.run(), std::runtime_error);
    }

    SUCCEED();
}

}  // namespace
