// SPDX-License-Identifier: MIT
// Releases and closes of so many waiters that they work in parts, beside others that release, give up, and destroy. [parts]
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include <futon/futon.hpp>

#include "support/coroutines.hpp"
#include "support/gtest.hpp"
#include "support/timed_rounds.hpp"

namespace {

using futon::EventLoop;
using futon::Fairness;
using futon::Semaphore;
using futon::SharedLock;
using futon::WaitResult;
using futon::test::OwnedCoroutine;
using futon::test::TimedRounds;

constexpr std::size_t very_many = 700;  // several parts

class PartsStress : public testing::TestWithParam<Fairness> {};

/// A loop's coroutines and two threads want permits; two threads release them, as many as are wanted.
TEST_P(PartsStress, ReleasesThatMeetLoseNoPermit) {
    std::mt19937 random(1);
    for (TimedRounds rounds; rounds.has_another_round();) {
        Semaphore semaphore(1, GetParam());  // one more than are wanted: for the thread
        EventLoop loop(futon::CanBlock::yes);
        std::stop_source stop;
        std::uint64_t acquired = 0;
        const auto want = [&](std::uint32_t count, std::stop_token token) -> OwnedCoroutine {
            const auto result = co_await semaphore.acquire_async(count, std::move(token));
            if (result == WaitResult::ok) acquired += count;
        };
        std::vector<OwnedCoroutine> coroutines;
        std::uint32_t wanted = 0;
        for (std::size_t i = 0; i < very_many; ++i) {
            const std::uint32_t count = random() % 32 == 0 ? 2 : 1;
            wanted += count;
            coroutines.push_back(want(count, i % 5 == 0 ? stop.get_token() : std::stop_token()));
        }
        {
            std::jthread thread([&] {
                for (int i = 0; i < 50; ++i) {
                    semaphore.acquire();
                    semaphore.release();
                }
            });
            std::jthread releaser([&, half = wanted / 2] { semaphore.release(half); });
            semaphore.release(wanted - wanted / 2);
            if (random() % 2 == 0) stop.request_stop();
            loop.run();
        }
        ASSERT_EQ(acquired + semaphore.available(), wanted + 1);
        ASSERT_EQ(futon::core::process_table().count(&semaphore), 0u);
    }
}

/// Readers of a loop, and writers among them, behind a thread that writes.
TEST_P(PartsStress, AnUnlockLetsAllReadersIn) {
    std::mt19937 random(2);
    for (TimedRounds rounds; rounds.has_another_round();) {
        SharedLock lock(GetParam());
        EventLoop loop(futon::CanBlock::yes);
        std::uint64_t sum = 0;  // of the lock
        const auto read = [&](std::atomic<std::uint64_t>& seen) -> OwnedCoroutine {
            const auto hold = co_await lock.scoped_lock_shared_async();
            seen += sum != ~std::uint64_t{0};
        };
        std::atomic<std::uint64_t> seen{0};
        std::vector<OwnedCoroutine> coroutines;
        lock.lock();
        for (std::size_t i = 0; i < very_many; ++i) coroutines.push_back(read(seen));
        {
            std::jthread writer([&] {
                for (int i = 0; i < 50; ++i) {
                    const auto hold = lock.scoped_lock();
                    ++sum;
                }
            });
            lock.unlock();
            if (random() % 2 == 0) std::this_thread::yield();
            loop.run();
        }
        ASSERT_EQ(seen, very_many);
        ASSERT_EQ(sum, 50u);
        ASSERT_TRUE(lock.try_lock());
        lock.unlock();
    }
}

INSTANTIATE_TEST_SUITE_P(Fairnesses, PartsStress, testing::Values(Fairness::bounded, Fairness::strict));

/// The loop sees that its channel is closed while the close is under way, ends its waits, destroys it, and has another in its place.
TEST(PartsStressOfChannels, WhoSeesThatAChannelIsClosedDestroysIt) {
    for (TimedRounds rounds; rounds.has_another_round();) {
        std::optional<futon::Channel<int>> channel(std::in_place, 0);
        auto loop = std::make_unique<EventLoop>(futon::CanBlock::yes);
        std::size_t ended = 0;
        const auto receive = [&]() -> OwnedCoroutine { ended += !co_await channel->receive_async(); };
        std::vector<OwnedCoroutine> coroutines;
        for (std::size_t i = 0; i < very_many; ++i) coroutines.push_back(receive());
        {
            std::jthread closer([&ending = *channel] { ending.close(); });
            while (!channel->is_closed()) std::this_thread::yield();
            if (rounds.round() % 2 == 0) loop->poll();
            coroutines.clear();
            channel.emplace(0);
            coroutines.push_back(receive());
        }
        ASSERT_FALSE(channel->is_closed());
        const std::size_t before = ended;
        loop->poll();
        ASSERT_EQ(ended, before);
        ASSERT_TRUE(channel->try_send(1));
        loop->run();
        ASSERT_EQ(ended, before);
    }
}

}  // namespace
