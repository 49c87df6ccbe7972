// SPDX-License-Identifier: MIT
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <futon/futon.hpp>

#include "support/scale.hpp"
#include "support/timed_rounds.hpp"
#include "tables/hash.hpp"
#include "tables/shard.hpp"

namespace {

using futon::WaitResult;
using futon::core::everyone;
using futon::core::WaitCheck;
using futon::core::Waiter;
using futon::tables::hash_of;
using futon::tables::Shard;
using futon::test::TimedRounds;

/// A shard of one's own, which is never destroyed, as shards are not.
Shard& fresh_shard() {
    static auto* const shards = new std::vector<std::unique_ptr<Shard>>;
    return *shards->emplace_back(std::make_unique<Shard>());
}

class Probe final : public Waiter {
    void deliver() noexcept override {}
};

WaitCheck always(void* address) {
    return {address, 0, [](void*, std::uint64_t) noexcept { return true; }};
}

/// Words, and for each a waiter of its own.
class Lines {
public:
    Lines(Shard& shard, std::size_t count) : shard_(shard), words_(count), probes_(count) {}

    bool enqueue(std::size_t i) { return shard_.enqueue(probes_[i], always(&words_[i]), hash_of(&words_[i])); }
    bool dequeue(std::size_t i) { return shard_.dequeue(probes_[i], WaitResult::cancelled, hash_of(&words_[i])); }

    /// What a notify does: it looks for a mark, and only then takes the lock.
    std::size_t notify(std::size_t i) {
        if (!shard_.may_have_waiters(hash_of(&words_[i]))) return 0;
        return shard_.take(&words_[i], everyone, hash_of(&words_[i])).length;
    }

    std::size_t size() const { return words_.size(); }

private:
    Shard& shard_;
    std::vector<std::uint32_t> words_;
    std::vector<Probe> probes_;
};

/// Makes threads that want to join queue up at a shard's lock: so that all of them saw the shard as small as it was.
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

    /// To be called by each of the threads, just before it joins.
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
        for (int i = 0; i < 20; ++i) std::this_thread::yield();  // for some to get from here to the lock
    }

    const int threads_;
    std::atomic<bool> is_shut_{false};
    std::atomic<int> arrived_{0};
};

TEST(Growth, FindsAllOfManyThatSawTheShardSmallAndJoinTogether) {
    constexpr std::size_t threads = 12;
    constexpr std::size_t lines_each = 24;
    constexpr std::size_t lines_before = 8;  // as many as a shard has buckets at first
    TimedRounds race;

    while (race.has_another_round()) {
        Shard& shard = fresh_shard();
        Lines lines(shard, lines_before + threads * lines_each);
        for (std::size_t i = 0; i < lines_before; ++i) ASSERT_TRUE(lines.enqueue(i));
        Gate gate(threads);
        std::vector<std::jthread> joiners;
        for (std::size_t thread = 0; thread < threads; ++thread) {
            joiners.emplace_back([&, begin = lines_before + thread * lines_each] {
                gate.pass();
                for (std::size_t i = begin; i < begin + lines_each; ++i) EXPECT_TRUE(lines.enqueue(i));
            });
        }
        gate.shut(shard);
        joiners.clear();

        for (std::size_t i = 0; i < lines.size(); ++i) ASSERT_EQ(lines.notify(i), 1u) << "line " << i;
        for (std::size_t i = 0; i < lines.size(); ++i) ASSERT_EQ(lines.notify(i), 0u) << "line " << i;
    }
}

TEST(Growth, FindsEachWhileManyJoinLeaveAndJoinAgain) {
    constexpr std::size_t threads = 4;
    constexpr std::size_t lines_each = 1000;

    for (int round = 0; round < futon::test::scaled(30); ++round) {
        Shard& shard = fresh_shard();
        Lines lines(shard, threads * lines_each);
        std::vector<std::jthread> joiners;
        for (std::size_t thread = 0; thread < threads; ++thread) {
            joiners.emplace_back([&, begin = thread * lines_each] {
                const std::size_t end = begin + lines_each;
                for (std::size_t i = begin; i < end; ++i) EXPECT_TRUE(lines.enqueue(i));
                for (std::size_t i = begin; i < end; i += 2) EXPECT_TRUE(lines.dequeue(i));
                for (std::size_t i = begin; i < end; i += 2) EXPECT_TRUE(lines.enqueue(i));
                for (std::size_t i = begin; i < end; i += 3) EXPECT_EQ(lines.notify(i), 1u);
            });
        }
        joiners.clear();

        for (std::size_t i = 0; i < lines.size(); ++i)
            ASSERT_EQ(lines.notify(i), i % lines_each % 3 == 0 ? 0u : 1u) << "line " << i;
    }
}

TEST(Growth, OfTheTableThatAllLoopsShareLosesNoPromise) {
    constexpr std::size_t threads = 4;
    constexpr std::size_t lines_each = futon::test::scaled(50'000);
    std::vector<std::uint32_t> words(threads * lines_each);
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
