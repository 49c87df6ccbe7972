// SPDX-License-Identifier: MIT
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/scale.hpp"

namespace {

using namespace std::chrono_literals;

/// Acquires the lock each millisecond, by a callback and by a coroutine, until `is_over`.
class TickingLoop {
public:
    TickingLoop(futon::AsyncLock& lock, std::uint64_t& sum, std::atomic<int>& served, const std::atomic<bool>& is_over)
        : lock_(lock), sum_(sum), served_(served), is_over_(is_over) {}

    void run() {
        futon::EventLoop loop;
        loop_ = &loop;
        tick();
        loop.run();
    }

    std::uint64_t acquisitions() const { return acquisitions_; }

private:
    void tick() {
        if (is_over_) return;
        (void)lock_.execute_locked([this] { enter(); });
        (void)by_coroutine();
        loop_->post_after(1ms, [this] { tick(); });
    }

    futon::Promise<void> by_coroutine() {
        const auto guard = co_await lock_.scoped_lock_async();
        enter();
    }

    void enter() {
        ++sum_;
        if (++acquisitions_ == 1) ++served_;
    }

    futon::AsyncLock& lock_;
    std::uint64_t& sum_;
    std::atomic<int>& served_;
    const std::atomic<bool>& is_over_;
    futon::EventLoop* loop_ = nullptr;
    std::uint64_t acquisitions_ = 0;
};

TEST(AsyncLockStress, ThreadsAndLoopsExcludeEachOtherAndNoneStarves) {
    constexpr int thread_count = 8;
    futon::AsyncLock lock;
    std::uint64_t sum = 0;
    std::atomic<int> served{0};  // the threads and loops that have had the lock
    std::atomic<bool> is_over{false};
    std::vector<std::uint64_t> acquisitions(thread_count);
    std::vector<std::unique_ptr<TickingLoop>> loops;
    for (int i = 0; i < 2; ++i) loops.push_back(std::make_unique<TickingLoop>(lock, sum, served, is_over));

    {
        std::vector<std::jthread> threads;
        for (std::uint64_t& own : acquisitions)
            threads.emplace_back([&] {
                while (!is_over) {
                    const std::scoped_lock hold(lock);
                    ++sum;
                    if (++own == 1) ++served;
                }
            });
        for (auto& loop : loops) threads.emplace_back([&] { loop->run(); });
        std::this_thread::sleep_for(std::chrono::duration<double>(futon::test::stress_seconds(2)));
        // How soon this machine runs a thread is its own business. Once it asks, it is served while the others ask, too.
        const auto end = std::chrono::steady_clock::now() + 1min;
        while (served < thread_count + 2 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
        is_over = true;
    }

    std::uint64_t expected = 0;
    for (const std::uint64_t own : acquisitions) {
        EXPECT_GT(own, 0u);
        expected += own;
    }
    for (const auto& loop : loops) {
        EXPECT_GT(loop->acquisitions(), 0u);
        expected += loop->acquisitions();
    }
    EXPECT_EQ(sum, expected);
}

futon::Promise<void> lock_and_count(futon::AsyncLock& lock, int& count, std::uintptr_t& lowest,
                                    std::uintptr_t& highest) {
    const auto guard = co_await lock.scoped_lock_async();
    ++count;
    const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    lowest = std::min(lowest, here);
    highest = std::max(highest, here);
}

TEST(AsyncLockStress, AMillionQueuedCoroutinesAcquireInConstantStack) {
    const int waiters = futon::test::scaled(1'000'000);
    futon::AsyncLock lock;
    futon::EventLoop loop;
    int count = 0;
    std::uintptr_t lowest = UINTPTR_MAX;
    std::uintptr_t highest = 0;

    lock.try_lock();
    for (int i = 0; i < waiters; ++i) (void)lock_and_count(lock, count, lowest, highest);
    lock.unlock();
    loop.run();

    EXPECT_EQ(count, waiters);
    EXPECT_LT(highest - lowest, 4096u);
    EXPECT_TRUE(lock.try_lock());
}

TEST(AsyncLockStress, MayBeDestroyedByItsNextOwnerAtOnce) {
    for (int round = 0; round < futon::test::scaled(20000); ++round) {
        auto* lock = new futon::AsyncLock;
        lock->lock();
        std::atomic<bool> has_begun{false};
        std::jthread next([&has_begun, lock] {
            has_begun = true;
            lock->lock();
            delete lock;
        });
        const bool must_be_queued = round % 2 == 0;
        while (!has_begun || (must_be_queued && futon::core::process_table().count(lock) == 0))
            std::this_thread::yield();

        lock->unlock();
    }
}

}  // namespace
