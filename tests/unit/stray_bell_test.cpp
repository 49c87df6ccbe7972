// SPDX-License-Identifier: MIT
// A loop's bell that rings for nothing. Its descriptors are not for others, but a process that was copied by a system call,
// and not by fork, has them and does not know that it is a copy.
#ifdef FUTON_PLATFORM_IS_linux

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>

#include <fcntl.h>
#include <unistd.h>

#include <futon/futon.hpp>

#include "loop/job_queue.hpp"
#include "support/descriptors.hpp"
#include "support/gtest.hpp"
#include "support/native_handle.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using futon::EventLoop;
using futon::WaitResult;
using futon::test::descriptors_of;
using futon::test::is_readable;

/// A loop with a handle, and the descriptor of its bell.
class StrayBell : public testing::Test {
protected:
    void SetUp() override {
        handle = loop.native_handle();
        const auto bells = descriptors_of("anon_inode:[eventfd]");
        ASSERT_EQ(bells.size(), 1u);
        bell = bells.front();
    }

    void ring_for_nothing() const {
        const std::uint64_t one = 1;
        ASSERT_EQ(write(bell, &one, sizeof one), static_cast<ssize_t>(sizeof one));
    }

    EventLoop loop;
    futon::NativeHandle handle{};
    int bell = -1;
};

TEST_F(StrayBell, EndsNoRunAndNoWait) {
    std::atomic<int> cell{0};
    auto promise = futon::wait_async(cell, 0).promise();
    bool is_over = false;
    std::jthread ringer([&] {
        for (int i = 0; i < 1000; ++i) ring_for_nothing();
        cell = 1;
        futon::notify(cell);
    });

    EXPECT_EQ(loop.run_until(promise), WaitResult::ok);
    loop.post([&] { is_over = true; });
    loop.run();
    EXPECT_TRUE(is_over);
}

TEST_F(StrayBell, LosesNoTimer) {
    bool has_fired = false;
    loop.post_after(5ms, [&] { has_fired = true; });
    ring_for_nothing();

    loop.run();

    EXPECT_TRUE(has_fired);
}

TEST_F(StrayBell, IsSilencedByAPollThatFindsNothing) {
    std::atomic<int> cell{0};
    const auto promise = futon::wait_async(cell, 0).promise();
    ring_for_nothing();
    ASSERT_TRUE(is_readable(handle));

    EXPECT_FALSE(loop.poll());

    EXPECT_FALSE(is_readable(handle));
    futon::notify(cell);
    EXPECT_TRUE(is_readable(handle));
    EXPECT_TRUE(loop.poll());
    EXPECT_TRUE(promise.is_settled());
    EXPECT_FALSE(is_readable(handle));
}

TEST_F(StrayBell, IsSilencedBesideATrueOne) {
    std::atomic<int> cell{0};
    const auto promise = futon::wait_async(cell, 0).promise();
    ring_for_nothing();
    futon::notify(cell);

    EXPECT_TRUE(loop.poll());

    EXPECT_TRUE(promise.is_settled());
    EXPECT_FALSE(is_readable(handle));
}

TEST_F(StrayBell, StopKeepsErrnoAlsoWhereTheBellFails) {
    std::atomic<int> cell{0};
    const auto promise = futon::wait_async(cell, 0).promise();
    loop.poll();
    const int unwritable = open("/dev/null", O_RDONLY | O_CLOEXEC);
    ASSERT_EQ(dup2(unwritable, bell), bell);
    close(unwritable);
    errno = EDOM;

    loop.stop();

    EXPECT_EQ(errno, EDOM);
}

TEST_F(StrayBell, ItsDescriptorsAreClosedByExec) {
    for (const char* kind : {"anon_inode:[eventfd]", "anon_inode:[timerfd]", "anon_inode:[eventpoll]"}) {
        const auto found = descriptors_of(kind);
        EXPECT_EQ(found.size(), 1u) << kind;
        for (const int descriptor : found) EXPECT_NE(fcntl(descriptor, F_GETFD) & FD_CLOEXEC, 0) << kind;
    }
}

TEST(JobQueue, IsAwakeAndEmptyWhereABellThatRangForNothingEndedTheSleep) {
    futon::detail::JobQueue queue;
    futon::detail::JobList list;
    ASSERT_TRUE(queue.fall_asleep());

    queue.take_all(list);

    EXPECT_TRUE(list.is_empty());
    EXPECT_TRUE(queue.is_empty());
    EXPECT_TRUE(queue.fall_asleep());
}

}  // namespace

#endif
