// SPDX-License-Identifier: MIT
// Coroutines of a thread pool: what they wait for comes while they begin to wait.
#include <atomic>
#include <cstdint>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/scale.hpp"
#include "support/thread_pool.hpp"
#include "support/timed_rounds.hpp"
#include "support/waiting.hpp"

namespace {

using futon::AsyncLock;
using futon::Deadline;
using futon::Executor;
using futon::Fairness;
using futon::WaitResult;
using futon::test::Detached;
using futon::test::GoTo;
using futon::test::scaled;
using futon::test::Strand;
using futon::test::ThreadPool;
using futon::test::TimedRounds;
using futon::test::until;

constexpr int pool_threads = 4;
constexpr int coroutines = 8;

/// What coroutines and threads do to one lock.
struct Contest {
    explicit Contest(Fairness fairness) : lock(fairness) {}

    AsyncLock lock;
    std::int64_t sum = 0;  // under the lock
    std::atomic<int> ended{0};

    /// What the owner of the lock does: others come meanwhile.
    void count() {
        if (++sum % 4 == 0) std::this_thread::yield();
    }
};

Detached count_on(Executor& executor, Contest& contest, int rounds) {
    co_await GoTo(executor);
    for (int i = 0; i < rounds; ++i) {
        const AsyncLock::Guard guard = co_await futon::await_on(executor, contest.lock.locking());
        contest.count();
    }
    ++contest.ended;
}

/// Runs the coroutines, each on the executor that `executor_of` gives it, beside two threads.
template <class F>
void contend(Contest& contest, ThreadPool& pool, F executor_of) {
    const int rounds = scaled(5'000);
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 2; ++i)
            threads.emplace_back([&] {
                for (int round = 0; round < rounds; ++round) {
                    const std::scoped_lock hold(contest.lock);
                    contest.count();
                }
            });
        for (int i = 0; i < coroutines; ++i) count_on(executor_of(i), contest, rounds);
    }
    until([&] { return contest.ended == coroutines; });
    pool.end();
    EXPECT_EQ(contest.sum, std::int64_t{rounds} * (coroutines + 2));
    EXPECT_TRUE(contest.lock.try_lock());
}

TEST(AwaitOnStress, CoroutinesOfAPoolAndThreadsExcludeEachOther) {
    for (const Fairness fairness : {Fairness::bounded, Fairness::strict}) {
        Contest contest(fairness);
        ThreadPool pool(pool_threads);
        contend(contest, pool, [&](int) -> Executor& { return pool; });
    }
}

TEST(AwaitOnStress, CoroutinesOfStrandsAndThreadsExcludeEachOther) {
    Contest contest(Fairness::bounded);
    ThreadPool pool(pool_threads);
    Strand a(pool);
    Strand b(pool);
    contend(contest, pool, [&](int i) -> Executor& { return i % 2 == 0 ? a : b; });
}

/// Acquires permits until it is stopped, and keeps them.
Detached acquire_on(Executor& executor, futon::Semaphore& semaphore, std::stop_token stop, std::atomic<int>& acquired,
                    std::atomic<int>& ended) {
    co_await GoTo(executor);
    while (true) {
        const WaitResult result = co_await futon::await_on(executor, semaphore.acquiring(), stop);
        if (result != WaitResult::ok) break;
        ++acquired;
    }
    ++ended;
}

TEST(AwaitOnStress, AStopLosesNoPermitThatIsOnItsWay) {
    constexpr int permits = 20;
    ThreadPool pool(pool_threads);
    for (TimedRounds rounds; rounds.has_another_round();) {
        futon::Semaphore semaphore(0);
        std::atomic<int> acquired{0};
        std::atomic<int> ended{0};
        std::stop_source stop;
        for (int i = 0; i < coroutines; ++i) acquire_on(pool, semaphore, stop.get_token(), acquired, ended);
        {
            const std::jthread releaser([&] {
                for (int i = 0; i < permits; ++i) semaphore.release();
            });
            until([&] { return acquired >= rounds.round() % permits; });
            stop.request_stop();
            until([&] { return ended == coroutines; });
        }
        int left = 0;
        while (semaphore.try_acquire()) ++left;
        EXPECT_EQ(acquired + left, permits);
        EXPECT_EQ(futon::test::waiting_at(semaphore), 0u);
    }
}

}  // namespace
