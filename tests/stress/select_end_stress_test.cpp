// SPDX-License-Identifier: MIT
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <random>
#include <stop_token>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <futon/futon.hpp>
#include <futon/select.hpp>

#include "support/coroutines.hpp"
#include "support/gtest.hpp"
#include "support/timed_rounds.hpp"
#include "support/waiting.hpp"

namespace {

using futon::AsyncLock;
using futon::EventLoop;
using futon::select_async;
using futon::stop_requested;
using futon::waiting;
using futon::test::OwnedCoroutine;
using futon::test::TimedRounds;
using futon::test::waiting_at;

/// Two locks that other threads lock without end, and a word that they notify: each select of all three is in the middle of
/// something when its test ends it.
class EndedSelectStress : public testing::Test {
protected:
    void lock_both() {
        do {  // once at least, however late this thread begins
            const std::scoped_lock hold(locks[0], locks[1]);
            ++locked;
            futon::notify(word, 1);
        } while (!is_over);
    }

    OwnedCoroutine select_all(std::stop_token stop) {
        try {
            static_cast<void>(
                co_await select_async(locks[0].locking(), waiting(word, 0), locks[1].locking(), stop_requested(stop)));
            ++chosen;
        } catch (const std::system_error&) {
            ++ended;
        }
    }

    /// Ends the other threads, which would block for ever if a select had kept a lock.
    void expect_nothing_was_lost() {
        is_over = true;
        for (std::jthread& thread : threads) thread.join();
        EXPECT_GT(locked, 0u);
        EXPECT_EQ(waiting_at(word) + waiting_at(locks[0]) + waiting_at(locks[1]), 0u);
        EXPECT_TRUE(locks[0].try_lock());
        EXPECT_TRUE(locks[1].try_lock());
    }

    std::array<AsyncLock, 2> locks;
    std::atomic<int> word{0};
    std::atomic<bool> is_over{false};
    std::atomic<std::uint64_t> locked{0};
    int chosen = 0;
    int ended = 0;
    std::mt19937 random{1};
    std::array<std::jthread, 2> threads{std::jthread([this] { lock_both(); }), std::jthread([this] { lock_both(); })};
};

TEST_F(EndedSelectStress, ADestroyedCoroutineKeepsNoLock) {
    EventLoop loop;
    TimedRounds rounds;

    while (rounds.has_another_round()) {
        std::vector<OwnedCoroutine> selects;
        for (int i = 0; i < 3; ++i) selects.push_back(select_all({}));
        if (random() % 2 == 0) loop.poll();
        if (random() % 2 == 0) std::this_thread::yield();
    }

    expect_nothing_was_lost();
}

TEST_F(EndedSelectStress, ACoroutineWhoseLoopEndsKeepsNoLock) {
    TimedRounds rounds;
    int begun = 0;

    while (rounds.has_another_round()) {
        std::optional<EventLoop> loop(std::in_place);
        std::vector<OwnedCoroutine> selects;
        for (int i = 0; i < 3; ++i, ++begun) selects.push_back(select_all({}));
        if (random() % 2 == 0) loop->poll();
        if (random() % 2 == 0) std::this_thread::yield();
        loop.reset();
    }

    EXPECT_EQ(chosen + ended, begun);
    expect_nothing_was_lost();
}

TEST_F(EndedSelectStress, ACoroutineThatIsStoppedByAnotherThreadKeepsNoLock) {
    EventLoop loop;
    TimedRounds rounds;
    int begun = 0;

    while (rounds.has_another_round()) {
        std::stop_source stop;
        std::vector<OwnedCoroutine> selects;
        for (int i = 0; i < 3; ++i, ++begun) selects.push_back(select_all(stop.get_token()));
        const std::jthread stopper([&] { stop.request_stop(); });
        loop.run();
    }

    EXPECT_EQ(chosen, begun);
    expect_nothing_was_lost();
}

}  // namespace
