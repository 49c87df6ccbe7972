// SPDX-License-Identifier: MIT
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

#include <futon/futon.hpp>

#include "support/gtest.hpp"

namespace {

using namespace std::chrono_literals;
using futon::EventLoop;

/// The messages of the exceptions that run() throws, until it returns.
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

TEST(EventLoop, RunRethrowsTheExceptionOfAPostedFunction) {
    EventLoop loop;
    loop.post([] { throw std::runtime_error("broken"); });

    EXPECT_THROW(loop.run(), std::runtime_error);
}

TEST(EventLoop, RunRethrowsTheExceptionOfATimedFunction) {
    EventLoop loop;
    loop.post_after(0ms, [] { throw std::runtime_error("broken"); });

    EXPECT_THROW(loop.run(), std::runtime_error);
}

TEST(EventLoop, PollRethrowsTheExceptionOfAPostedFunction) {
    EventLoop loop;
    loop.post([] { throw std::runtime_error("broken"); });

    EXPECT_THROW(loop.poll(), std::runtime_error);
}

TEST(EventLoop, RunUntilRethrowsTheExceptionOfAPostedFunction) {
    EventLoop loop;
    std::atomic<int> cell{0};
    auto promise = futon::wait_async(cell, 0).promise();
    loop.post([] { throw std::runtime_error("broken"); });

    EXPECT_THROW(loop.run_until(promise), std::runtime_error);
}

TEST(EventLoop, RunsRemainingJobsAfterAnException) {
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

TEST(EventLoop, RethrowsOneExceptionPerRunInOrder) {
    EventLoop loop;
    for (const char* text : {"first", "second", "third"}) loop.post([text] { throw std::runtime_error(text); });

    EXPECT_EQ(errors_of(loop), (std::vector<std::string>{"first", "second", "third"}));
}

TEST(EventLoop, RethrowsExceptionsOfTimersOfOneDeadlineInOrder) {
    EventLoop loop;
    const auto deadline = std::chrono::steady_clock::now() + 1ms;
    for (const char* text : {"first", "second", "third"})
        loop.post_at(deadline, [text] { throw std::runtime_error(text); });

    EXPECT_EQ(errors_of(loop), (std::vector<std::string>{"first", "second", "third"}));
}

TEST(EventLoop, PollRethrowsAPendingException) {
    EventLoop loop;
    const auto now = std::chrono::steady_clock::now();
    for (int i = 0; i < 2; ++i) loop.post_at(now, [] { throw std::runtime_error("broken"); });
    EXPECT_THROW(loop.run(), std::runtime_error);

    EXPECT_THROW(loop.poll(), std::runtime_error);
    EXPECT_FALSE(loop.poll());
}

TEST(EventLoop, DropsPendingExceptionsWhenDestroyed) {
    {
        EventLoop loop;
        for (int i = 0; i < 3; ++i) loop.post_after(0ms, [] { throw std::runtime_error("broken"); });
        EXPECT_THROW(loop.run(), std::runtime_error);
    }

    SUCCEED();
}

}  // namespace
