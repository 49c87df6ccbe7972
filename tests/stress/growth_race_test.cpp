// SPDX-License-Identifier: MIT
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include <futon/futon.hpp>

#include "queue/hash.hpp"
#include "queue/shard.hpp"
#include "support/gtest.hpp"
#include "support/scale.hpp"
#include "support/timed_rounds.hpp"

namespace {

using futon::WaitResult;
using futon::core::everyone;
using futon::core::WaitCheck;
using futon::core::Waiter;
using futon::tables::hash_of;
using futon::tables::Shard;
using futon::test::TimedRounds;

/// A new shard, which is never destroyed, as shards are not.
Shard& fresh_shard() {
    static auto* const shards = new std::vector<std::unique_ptr<Shard>>;
    return *shards->emplace_back(std::make_unique<Shard>());
}

class IdleWaiter final : public Waiter {
    void deliver() noexcept override {}
};

WaitCheck always(void* address) {
    return {address, 0, [](void*, std::uint64_t) noexcept { return true; }};
}

/// Words, each with a waiter of its own.
class Queues {
public:
    Queues(Shard& shard, std::size_t count) : shard_(shard), words_(count), waiters_(count) {}

    bool enqueue(std::size_t i) {
        return shard_.enqueue(waiters_[i], always(&words_[i]), hash_of(&words_[i])) ==
               futon::core::EnqueueResult::queued;
    }
    bool dequeue(std::size_t i) {
        return shard_.dequeue(waiters_[i], WaitResult::cancelled, &words_[i], hash_of(&words_[i])) ==
               futon::tables::Shard::Found::queued;
    }

    /// What a notify does: it checks the filter bits, and takes the lock only if they are set.
    std::size_t notify(std::size_t i) {
        if (!shard_.may_have_waiters<Shard::OrderedBy::fence>(hash_of(&words_[i]))) return 0;
        futon::tables::Shard::Taking taking(&words_[i], everyone, hash_of(&words_[i]));
        return shard_.take(taking).length;
    }

    std::size_t size() const { return words_.size(); }

private:
    Shard& shard_;
    std::vector<std::uint32_t> words_;
    std::vector<IdleWaiter> waiters_;
};

/// Makes enqueueing threads wait at a shard's lock, so that all of them saw the size before the shard grew.
class Gate {
public:
    explicit Gate(int threads) : threads_(threads) {}

    /// Holds the shard's lock until all threads are about to take it.
    void shut(Shard& shard) {
        shard.must_wait({this, 0, [](void* gate, std::uint64_t) noexcept {
                             static_cast<Gate*>(gate)->hold();
                             return true;
                         }});
    }

    /// To be called by each of the threads, just before it enqueues.
    void pass() {
        is_shut_.wait(false);
        ++arrived_;
        arrived_.notify_one();
    }

private:
    void hold() noexcept {
        is_shut_ = true;
        is_shut_.notify_all();
        for (int seen = arrived_; seen != threads_; seen = arrived_) arrived_.wait(seen);
        for (int i = 0; i < 20; ++i) std::this_thread::yield();  // for some threads to reach the lock
    }

    const int threads_;
    std::atomic<bool> is_shut_{false};
    std::atomic<int> arrived_{0};
};

TEST(ShardGrowthStress, EnqueuesThatSawTheOldSizeLoseNoWaiter) {
    constexpr std::size_t threads = 12;
    constexpr std::size_t queues_each = 24;
    constexpr std::size_t queues_before = 8;  // as many as a shard has buckets at first
    TimedRounds race;

    while (race.has_another_round()) {
        Shard& shard = fresh_shard();
        Queues queues(shard, queues_before + threads * queues_each);
        for (std::size_t i = 0; i < queues_before; ++i) ASSERT_TRUE(queues.enqueue(i));
        Gate gate(threads);
        std::vector<std::jthread> enqueuers;
        for (std::size_t thread = 0; thread < threads; ++thread) {
            enqueuers.emplace_back([&, begin = queues_before + thread * queues_each] {
                gate.pass();
                for (std::size_t i = begin; i < begin + queues_each; ++i) EXPECT_TRUE(queues.enqueue(i));
            });
        }
        gate.shut(shard);
        enqueuers.clear();

        for (std::size_t i = 0; i < queues.size(); ++i) ASSERT_EQ(queues.notify(i), 1u) << "queue " << i;
        for (std::size_t i = 0; i < queues.size(); ++i) ASSERT_EQ(queues.notify(i), 0u) << "queue " << i;
    }
}

TEST(ShardGrowthStress, ConcurrentEnqueuesAndDequeuesLoseNoWaiter) {
    constexpr std::size_t threads = 4;
    constexpr std::size_t queues_each = 1000;

    for (int round = 0; round < futon::test::scaled(30); ++round) {
        Shard& shard = fresh_shard();
        Queues queues(shard, threads * queues_each);
        std::vector<std::jthread> enqueuers;
        for (std::size_t thread = 0; thread < threads; ++thread) {
            enqueuers.emplace_back([&, begin = thread * queues_each] {
                const std::size_t end = begin + queues_each;
                for (std::size_t i = begin; i < end; ++i) EXPECT_TRUE(queues.enqueue(i));
                for (std::size_t i = begin; i < end; i += 2) EXPECT_TRUE(queues.dequeue(i));
                for (std::size_t i = begin; i < end; i += 2) EXPECT_TRUE(queues.enqueue(i));
                for (std::size_t i = begin; i < end; i += 3) EXPECT_EQ(queues.notify(i), 1u);
            });
        }
        enqueuers.clear();

        for (std::size_t i = 0; i < queues.size(); ++i)
            ASSERT_EQ(queues.notify(i), i % queues_each % 3 == 0 ? 0u : 1u) << "queue " << i;
    }
}

TEST(ShardGrowthStress, GrowingTheProcessTableLosesNoPromise) {
    constexpr std::size_t threads = 4;
    const auto queues_each = static_cast<std::size_t>(futon::test::scaled(50'000));
    std::vector<std::uint32_t> words(threads * queues_each);
    std::atomic<std::size_t> settled{0};
    std::vector<std::jthread> loops;

    for (std::size_t thread = 0; thread < threads; ++thread) {
        loops.emplace_back([&, thread] {
            futon::EventLoop loop;
            std::vector<futon::Promise<WaitResult>> promises;
            for (std::size_t i = thread; i < words.size(); i += threads)
                promises.push_back(futon::wait_async(futon::Word(words[i]), 0).promise());
            for (std::size_t i = thread; i < words.size(); i += threads)
                EXPECT_EQ(futon::notify(futon::Word(words[i])), 1u);
            loop.run();
            for (const auto& promise : promises) settled += promise.is_settled() ? 1u : 0u;
        });
    }
    loops.clear();

    EXPECT_EQ(settled.load(), words.size());
}

}  // namespace
