// SPDX-License-Identifier: MIT
// A bell with a descriptor: signals are no rings, and its alarm.
#ifdef FUTON_PLATFORM_IS_linux

#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <string>
#include <thread>

#include <pthread.h>
#include <unistd.h>

#include "platform/clock.hpp"
#include "platform/doorbell.hpp"
#include "support/gtest.hpp"
#include "support/native_handle.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using futon::platform::Doorbell;
using futon::test::is_readable;
using futon::test::until;

/// Whether the kernel says that a thread of this process sleeps.
bool is_asleep(pid_t thread) {
    std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
    std::string line;
    std::getline(file, line);
    const std::size_t name_end = line.rfind(')');
    return name_end != std::string::npos && line.compare(name_end, 3, ") S") == 0;
}

/// A thread that waits for a bell with a descriptor while signals arrive, each while it sleeps.
class DoorbellAmidSignals : public testing::Test {
protected:
    void SetUp() override {
        bell.native_handle();
        struct sigaction action {};
        action.sa_handler = [](int) { ++handled; };  // without SA_RESTART
        ASSERT_EQ(sigaction(SIGUSR1, &action, &before_), 0);
    }
    void TearDown() override { sigaction(SIGUSR1, &before_, nullptr); }

    /// Whether `wait` returned before the bell was rung.
    template <class Wait>
    bool returns_early(Wait wait) {
        std::atomic<pid_t> id{0};
        std::atomic<bool> has_rung{false};
        std::atomic<bool> has_returned{false};
        bool is_early = false;
        std::jthread sleeper([&] {
            id = gettid();
            wait();
            is_early = !has_rung;
            has_returned = true;
        });
        until([&] { return id != 0; });
        for (int signals = 0; signals < 5 && !has_returned; ++signals) {
            until([&] { return has_returned || is_asleep(id); });
            if (has_returned) break;
            const int before = handled;
            pthread_kill(sleeper.native_handle(), SIGUSR1);
            until([&] { return handled != before; });
            until([&] { return has_returned || is_asleep(id); });
        }
        has_rung = true;
        bell.ring();
        sleeper.join();
        return is_early;
    }

    static inline std::atomic<int> handled{0};
    Doorbell bell;

private:
    struct sigaction before_ {};
};

TEST_F(DoorbellAmidSignals, WaitReturnsForTheRingOnly) {
    EXPECT_FALSE(returns_early([&] { bell.wait(); }));
}

TEST_F(DoorbellAmidSignals, WaitUntilReturnsForTheRingOnly) {
    EXPECT_FALSE(returns_early([&] { EXPECT_TRUE(bell.wait_until(futon::platform::now() + 1h)); }));
}

TEST(DoorbellWithADescriptor, GivesEachTokenOnceAlsoToAWaitWithADeadline) {
    Doorbell bell;
    const auto descriptor = bell.native_handle();
    bell.ring();

    EXPECT_TRUE(bell.wait_until(futon::platform::now() + 1h));

    EXPECT_FALSE(is_readable(descriptor));
    EXPECT_FALSE(bell.wait_until(futon::platform::now()));
}

TEST(DoorbellAlarm, CanBeSetToATimePointAgainAfterItWasCleared) {
    using TimePoint = std::chrono::steady_clock::time_point;
    Doorbell bell;
    const auto descriptor = bell.native_handle();

    for (int i = 0; i < 2; ++i) {
        bell.set_alarm(TimePoint::min());
        EXPECT_TRUE(is_readable(descriptor));
        bell.set_alarm(TimePoint::max());
        EXPECT_FALSE(is_readable(descriptor));
    }
}

}  // namespace

#endif
