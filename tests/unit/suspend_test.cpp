// SPDX-License-Identifier: MIT
// Which clock deadlines are of, and what becomes of waits while a process is stopped.
#include "support/child.hpp"
#ifdef FUTON_TESTS_CAN_FORK

#include <atomic>
#include <chrono>
#include <csignal>
#include <ctime>

#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using futon::EventLoop;
using futon::WaitResult;
using futon::test::Child;
using futon::test::Claims;

#ifdef __linux__
TEST(Deadline, IsOfTheMonotonicClockWhichStandsStillWhileTheSystemIsSuspended) {
    const auto monotonic = [] {
        timespec time{};
        clock_gettime(CLOCK_MONOTONIC, &time);
        return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
    };

    const auto before = monotonic();
    const auto steady = (futon::Deadline(1h).time_point() - 1h).time_since_epoch();
    const auto after = monotonic();

    EXPECT_LE(before, steady);
    EXPECT_LE(steady, after);
}
#endif

/// Stops a child, lets it go on once `time` has passed, and says what was wrong with it.
std::string stopped_for(std::chrono::milliseconds time, Child& child) {
    int status = 0;
    kill(child.id(), SIGSTOP);
    waitpid(child.id(), &status, WUNTRACED);
    if (!WIFSTOPPED(status)) return "it did not stop";
    futon::test::until_after(std::chrono::steady_clock::now() + time);
    kill(child.id(), SIGCONT);
    return child.wrong();
}

TEST(StoppedProcess, AWaitWhoseDeadlinePassedMeanwhileTimesOutAndAnotherGoesOn) {
    std::atomic<int> cell{0};
    Child child([&](Claims& claim) {
        const auto begin = std::chrono::steady_clock::now();
        claim(futon::wait(cell, 0, 50ms) == WaitResult::timed_out, "a blocked wait times out");
        claim(std::chrono::steady_clock::now() - begin >= 50ms, "no earlier than its deadline");
        EventLoop loop;
        auto later = futon::wait_async(cell, 0).promise();
        loop.post_after(50ms, [&] { futon::notify(cell); });
        claim(loop.run_until(later) == WaitResult::ok, "a wait without a deadline goes on");
    });

    EXPECT_EQ(stopped_for(60ms, child), "");
}

}  // namespace

#endif
