// SPDX-License-Identifier: MIT
// Memory that is refused: the caller is told, and nothing else happens.
#include <memory>
#include <new>
#include <vector>

#include <futon/futon.hpp>

#include "explore.hpp"
#include "queue/hash.hpp"
#include "queue/shard.hpp"
#include "scene.hpp"

namespace {

using namespace std::chrono_literals;
using futon::Deadline;
using futon::WaitAsyncResult;
using futon::WaitResult;
using futon::explorer::AllocationsMayFail;
using futon::explorer::check;
using futon::explorer::spawn;
using futon::test::count;
using futon::test::expect_holds;
using futon::test::Scene;

/// Whether it ran without being refused memory.
template <class F>
bool succeeds(F f) {
    try {
        const AllocationsMayFail here;
        f();
        return true;
    } catch (const std::bad_alloc&) {
        return false;
    }
}

futon::Promise<void> count_later(Scene& scene, Deadline deadline) {
    try {
        const WaitResult result = co_await futon::wait_async(scene.word(), 0, deadline);
        count(scene, result);
    } catch (const std::bad_alloc&) {
        scene.word().load();  // the coroutine has its frame, its wait has none
    }
}

TEST(ModelAllocation, AWaitThatIsRefusedMemoryIsNotQueued) {
    expect_holds("promises without memory, a thread, a notifier", {.preemptions = 2, .allocation_failures = 2}, [] {
        Scene scene;
        spawn("loop", [&] {
            futon::EventLoop loop;
            for (const Deadline deadline : {Deadline(1ms), Deadline::never()})
                succeeds([&] { count_later(scene, deadline); });
            loop.run();
        });
        spawn("waiter", [&] { count(scene, futon::wait(scene.word(), 0)); });
        spawn("notifier", [&] {
            scene.word().store(1);
            scene.notified += futon::notify(scene.word());
        });
        futon::explorer::join();
        scene.check_all_accounted();
    });
}

TEST(ModelAllocation, ALockThatIsRefusedMemoryIsFreeInTheEnd) {
    expect_holds("locked functions without memory, a thread", {.preemptions = 3, .allocation_failures = 2}, [] {
        futon::AsyncLock lock;
        int runs = 0;
        int accepted = 0;
        spawn("loop", [&] {
            futon::EventLoop loop;
            for (int i = 0; i < 2; ++i) accepted += succeeds([&] { lock.execute_locked([&] { ++runs; }); });
            loop.run();
        });
        spawn("thread", [&] {
            lock.lock();
            futon::explorer::point("inside", &lock);
            lock.unlock();
        });
        futon::explorer::join();
        check(runs == accepted, "what was accepted has run, and nothing else");
        check(lock.try_lock(), "the lock is free in the end");
        check(futon::core::process_table().count(&lock) == 0, "no waiter is queued");
    });
}

TEST(ModelAllocation, APostThatIsRefusedMemoryDoesNotRun) {
    expect_holds("posts without memory", {.allocation_failures = 2}, [] {
        int runs = 0;
        int accepted = 0;
        futon::EventLoop* found = nullptr;
        int ready = 0;
        int over = 0;
        spawn("loop", [&] {
            futon::EventLoop loop;
            found = &loop;
            futon::Word(ready).store(1);
            futon::notify(futon::Word(ready));
            auto end = futon::wait_async(futon::Word(over), 0);
            if (end.async()) loop.run_until(end.promise());
            loop.run();
        });
        spawn("poster", [&] {
            futon::wait(futon::Word(ready), 0);
            for (int i = 0; i < 2; ++i) accepted += succeeds([&] { found->post([&] { ++runs; }); });
            futon::Word(over).store(1);
            futon::notify(futon::Word(over));
        });
        futon::explorer::join();
        check(runs == accepted, "what was accepted has run, and nothing else");
    });
}

/// Remembers that it was delivered.
class CountedWaiter final : public futon::core::Waiter {
public:
    explicit CountedWaiter(std::size_t& deliveries) : deliveries_(deliveries) {}

private:
    void deliver() noexcept override { ++deliveries_; }

    std::size_t& deliveries_;
};

TEST(ModelAllocation, ATableThatCannotGrowFindsEachWaiter) {
    expect_holds("a table without memory, a notifier", {.allocation_failures = 2}, [] {
        constexpr std::size_t waiters = 12;  // of which eight fill the buckets that a table has from the start
        futon::tables::Shard shard;
        std::size_t deliveries = 0;
        char words[waiters];
        std::vector<std::unique_ptr<CountedWaiter>> queued;
        for (std::size_t i = 0; i < waiters; ++i) queued.push_back(std::make_unique<CountedWaiter>(deliveries));
        auto enqueue = [&](std::size_t i) {
            const futon::core::WaitCheck always{&words[i], 0, [](void*, std::uint64_t) noexcept { return true; }};
            const auto enqueued = shard.enqueue(*queued[i], always, futon::tables::hash_of(&words[i]));
            check(enqueued == futon::core::EnqueueResult::queued, "enqueueing needs no memory");
        };
        auto take = [&](std::size_t i) {
            const std::uint64_t hash = futon::tables::hash_of(&words[i]);
            if (!shard.may_have_waiters<futon::tables::Shard::OrderedBy::fence>(hash)) return std::size_t{0};
            futon::tables::Shard::Taking taking(&words[i], futon::everyone, hash);
            const auto chain = shard.take(taking);
            if (chain.first != nullptr) futon::core::WaiterAccess::deliver(*chain.first);
            return chain.length;
        };
        for (std::size_t i = 0; i < 8; ++i) enqueue(i);
        spawn("grower", [&] {
            const AllocationsMayFail here;
            for (std::size_t i = 8; i < waiters; ++i) enqueue(i);
        });
        std::size_t taken = 0;
        spawn("notifier", [&] {
            for (std::size_t i = 0; i < 8; ++i) {
                check(take(i) == 1, "a queued waiter is found");
                ++taken;
            }
        });
        futon::explorer::join();
        for (std::size_t i = 8; i < waiters; ++i) taken += take(i);
        check(taken == waiters && deliveries == waiters, "each is found once");
    });
}

}  // namespace
