// SPDX-License-Identifier: MIT
#include <atomic>
#include <chrono>
#include <csignal>
#include <memory>
#include <thread>
#include <vector>

#if __has_include(<pthread.h>)
#include <pthread.h>
#endif

#include "platform/clock.hpp"
#include "platform/doorbell.hpp"
#include "platform/mutex.hpp"
#include "platform/parker.hpp"
#include "support/gtest.hpp"
#include "support/platform.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using futon::platform::Doorbell;
using futon::platform::Mutex;
using futon::platform::MutexLock;
using futon::platform::now;
using futon::platform::Parker;

TEST(Parker, ParkReturnsAtOnceForAnEarlierToken) {
    Parker parker;
    parker.unpark();

    parker.park();

    SUCCEED();
}

TEST(Parker, ParkReturnsForATokenOfAnotherThread) {
    Parker parker;
    int data = 0;
    std::jthread sender([&] {
        data = 7;
        parker.unpark();
    });

    parker.park();

    EXPECT_EQ(data, 7);
}

TEST(Parker, ParkConsumesItsToken) {
    Parker parker;
    parker.unpark();
    parker.park();

    EXPECT_FALSE(parker.park_until(now() + 1ms));
}

TEST(Parker, TimesOutNoEarlierThanItsDeadline) {
    Parker parker;
    const auto deadline = now() + 2ms;

    const bool has_token = parker.park_until(deadline);

    EXPECT_FALSE(has_token);
    EXPECT_GE(now(), deadline);
}

TEST(Parker, TimesOutAtOnceForAPassedDeadline) {
    Parker parker;

    EXPECT_FALSE(parker.park_until(now() - 1h));
    EXPECT_FALSE(parker.park_until(std::chrono::steady_clock::time_point::min()));
}

TEST(Parker, PrefersATokenToAPassedDeadline) {
    Parker parker;
    parker.unpark();

    EXPECT_TRUE(parker.park_until(now() - 1h));
}

TEST(Parker, ATokenSentAfterATimeoutIsKept) {
    Parker parker;
    parker.park_until(now() + 100us);
    parker.unpark();

    EXPECT_TRUE(parker.park_until(now() + 1h));
}

TEST(Parker, MayBeDestroyedOnceItsTokenIsConsumed) {
    constexpr int rounds = 3000;
    std::atomic<Parker*> slot{nullptr};
    std::jthread sender([&] {
        for (int round = 0; round < rounds; ++round) {
            Parker* parker = nullptr;
            futon::test::until([&] { return (parker = slot.exchange(nullptr)) != nullptr; });
            parker->unpark();
        }
    });

    for (int round = 0; round < rounds; ++round) {
        const auto parker = std::make_unique<Parker>();
        slot.store(parker.get());
        parker->park();
    }

    SUCCEED();
}

TEST(Parker, AThreadKnowsHowLongItsOwnWakesTake) {
    if (!futon::test::spins_before_sleeping) GTEST_SKIP() << "no thread polls on this platform";
    std::chrono::nanoseconds time{};
    std::chrono::nanoseconds time_of_a_sleeper{-1};

    std::jthread([&] {
        for (int tries = 0; tries < 10'000 && time == 0ns;
             ++tries) {  // until the other has fallen asleep before its token came
            Parker parker;
            std::jthread sleeper([&] {
                parker.park();
                time_of_a_sleeper = Parker::wake_time().estimate();
            });
            std::this_thread::yield();
            parker.unpark();
            time = Parker::wake_time().estimate();
        }
    }).join();

    EXPECT_GT(time, 0ns);
    EXPECT_EQ(time_of_a_sleeper, 0ns);
}

#if !defined(FUTON_PLATFORM_IS_emscripten) && !defined(_WIN32)  // which have no signals between threads
TEST(Parker, ParkDoesNotReturnForASignal) {
    struct sigaction action {};
    struct sigaction previous {};
    action.sa_handler = [](int) {};
    sigaction(SIGUSR1, &action, &previous);
    Parker parker;
    std::atomic<bool> has_returned{false};
    std::jthread sleeper([&] {
        parker.park();
        has_returned = true;
    });

    for (int i = 0; i < 200; ++i) pthread_kill(sleeper.native_handle(), SIGUSR1);
    const bool returned_early = has_returned.load();
    parker.unpark();
    sleeper.join();
    sigaction(SIGUSR1, &previous, nullptr);

    EXPECT_FALSE(returned_early);
}
#endif

TEST(Mutex, ProvidesMutualExclusionBetweenThreads) {
    constexpr int threads = 4;
    constexpr int rounds = 20'000;
    Mutex mutex;
    int sum = 0;

    {
        std::vector<std::jthread> workers;
        for (int i = 0; i < threads; ++i) {
            workers.emplace_back([&] {
                for (int round = 0; round < rounds; ++round) {
                    const MutexLock hold(mutex);
                    ++sum;
                }
            });
        }
    }

    EXPECT_EQ(sum, threads * rounds);
}

/// A bell that is a parker, or one that is a descriptor.
class DoorbellOfEitherKind : public testing::TestWithParam<bool> {
protected:
    void SetUp() override {
        if (!GetParam()) return;
        if (!futon::test::has_descriptors) GTEST_SKIP() << "this platform has no descriptors";
        bell.native_handle();
    }

    Doorbell bell;
};

TEST_P(DoorbellOfEitherKind, WaitReturnsAtOnceForAnEarlierRing) {
    bell.ring();

    bell.wait();

    SUCCEED();
}

TEST_P(DoorbellOfEitherKind, WaitReturnsForARingOfAnotherThread) {
    int data = 0;
    std::jthread ringer([&] {
        data = 7;
        bell.ring();
    });

    bell.wait();

    EXPECT_EQ(data, 7);
}

TEST_P(DoorbellOfEitherKind, WaitConsumesItsRing) {
    bell.ring();
    bell.wait();

    EXPECT_FALSE(bell.wait_until(now() + 1ms));
}

TEST_P(DoorbellOfEitherKind, TimesOutNoEarlierThanItsDeadline) {
    const auto deadline = now() + 2ms;

    const bool has_rung = bell.wait_until(deadline);

    EXPECT_FALSE(has_rung);
    EXPECT_GE(now(), deadline);
}

TEST_P(DoorbellOfEitherKind, TimesOutAtOnceForAPassedDeadline) {
    EXPECT_FALSE(bell.wait_until(now() - 1h));
}

TEST_P(DoorbellOfEitherKind, WaitUntilReturnsForARingBeforeItsDeadline) {
    std::jthread ringer([&] { bell.ring(); });

    EXPECT_TRUE(bell.wait_until(now() + 1h));
}

INSTANTIATE_TEST_SUITE_P(Platform, DoorbellOfEitherKind, testing::Bool(),
                         [](const auto& kind) { return kind.param ? "WithADescriptor" : "WithoutADescriptor"; });

}  // namespace
