// SPDX-License-Identifier: MIT
#include <cstring>
#include <new>

#include <futon/futon.hpp>

#include "explore.hpp"
#include "queue/hash.hpp"
#include "queue/shard.hpp"
#include "scene.hpp"

namespace {

using namespace std::chrono_literals;
using futon::WaitResult;
using futon::explorer::check;
using futon::explorer::spawn;
using futon::test::count;
using futon::test::expect_holds;
using futon::test::Scene;

/// A waiter whose owner frees it as soon as it is delivered, and leaves nothing of it behind.
class ShortLivedWaiter final : public futon::core::Waiter {
public:
    explicit ShortLivedWaiter(int& delivered) : delivered_(&delivered) {}

private:
    void deliver() noexcept override {
        ++*delivered_;
        std::memset(static_cast<void*>(this), 0xdd, sizeof *this);
    }

    int* delivered_;
};

TEST(ModelQueue, TheWaitersOfOneNotifyAreNotTouchedAfterTheirDelivery) {
    expect_holds("three short-lived waiters, one notify", {}, [] {
        Scene scene;
        int delivered = 0;
        alignas(ShortLivedWaiter) unsigned char storage[3][sizeof(ShortLivedWaiter)];
        for (auto& place : storage)
            futon::core::process_table().enqueue(*new (place) ShortLivedWaiter(delivered), scene.word().equals(0));
        spawn("notifier", [&] { scene.notified += futon::notify(scene.word()); });
        futon::explorer::join();
        check(delivered == 3 && scene.notified == 3, "each is delivered once");
    });
}

/// Remembers when it was delivered.
class RankedWaiter final : public futon::core::Waiter {
public:
    explicit RankedWaiter(int& deliveries) : deliveries_(deliveries) {}
    int rank() const { return rank_; }

private:
    void deliver() noexcept override {
        check(rank_ == 0, "[once] delivered once");
        rank_ = ++deliveries_;
    }

    int& deliveries_;
    int rank_ = 0;
};

TEST(ModelQueue, IsLeftInTheOrderOfEnqueueingAlsoWhenAWaiterIsDequeuedFromTheMiddle) {
    expect_holds("a queue of four, one is dequeued, notify 1 and notify all", {}, [] {
        Scene scene;
        int deliveries = 0;
        RankedWaiter line[] = {RankedWaiter(deliveries), RankedWaiter(deliveries), RankedWaiter(deliveries),
                               RankedWaiter(deliveries)};
        auto& table = futon::core::process_table();
        for (RankedWaiter& waiter : line) table.enqueue(waiter, scene.word().equals(0));
        bool is_dequeued = false;
        spawn("remover", [&] { is_dequeued = table.dequeue(line[1], WaitResult::timed_out); });
        spawn("notifier", [&] {
            for (std::size_t many : {std::size_t{1}, std::size_t{2}, futon::everyone}) {
                const std::size_t woken = futon::notify(scene.word(), many);
                check(woken <= many, "no more are woken than were asked for");
                scene.notified += woken;
            }
        });
        futon::explorer::join();
        check(line[0].rank() == 1, "[fifo] the first to be enqueued is the first to be woken");
        check(is_dequeued == (line[1].rank() == 0), "[once] a waiter that was dequeued is not delivered");
        check(line[2].rank() == (is_dequeued ? 2 : 3), "[fifo] dequeueing one waiter moves no other");
        check(line[3].rank() == (is_dequeued ? 3 : 4), "[fifo] the last to be enqueued is the last to be woken");
        check(scene.notified == static_cast<std::size_t>(deliveries), "each was counted once");
        check(table.count(&scene.cell) == 0, "no waiter is queued");
    });
}

TEST(ModelQueue, ExactlyOneOfTwoRemoversDequeues) {
    expect_holds("one waiter, two leavers, a notifier", {}, [] {
        Scene scene;
        int deliveries = 0;
        RankedWaiter waiter(deliveries);
        auto& table = futon::core::process_table();
        table.enqueue(waiter, scene.word().equals(0));
        std::size_t taken = 0;
        for (const char* name : {"leaver 1", "leaver 2"})
            spawn(name, [&] { taken += table.dequeue(waiter, WaitResult::cancelled); });
        spawn("notifier", [&] { taken += futon::notify(scene.word()); });
        futon::explorer::join();
        check(taken == 1, "[once] exactly one took it out");
        check(table.count(&scene.cell) == 0, "no waiter is queued");
    });
}

/// Where the queue of an address is before the first bucket of a shard is split, and after it.
enum class Place { moves, stays, elsewhere };

/// The `number`th address of those whose queues are there. The filter bits of those that move and those that stay differ.
void* address_of_queue(Place place, int number = 0) {
    static char memory[1 << 16];
    for (char& cell : memory) {
        const std::uint64_t hash = futon::tables::hash_of(&cell);
        const bool is_first_bucket = hash % 8 == 0;
        const bool moves = (hash & 8) != 0;
        const bool fits = place == Place::elsewhere
                              ? !is_first_bucket
                              : is_first_bucket && moves == (place == Place::moves) && hash >> 63 == (moves ? 1u : 0u);
        if (fits && number-- == 0) return &cell;
    }
    return nullptr;
}

/// What else happens in the bucket that is split.
enum class Meanwhile { nothing, a_failing_enqueue, a_failing_enqueue_without_a_fence, a_dequeue, a_requeue };

using OrderedBy = futon::tables::Shard::OrderedBy;

/// One bucket is split by an enqueue while another queue of it is searched for.
void split_during_a_search(futon::explorer::Options options, const char* name, Meanwhile meanwhile = Meanwhile::nothing,
                           OrderedBy by = OrderedBy::fence) {
    expect_holds(name, options, [meanwhile, by] {
        static void* const moving = address_of_queue(Place::moves);
        static void* const staying = address_of_queue(Place::stays);
        futon::tables::Shard shard;
        int deliveries = 0;
        int cell = 0;
        std::vector<std::unique_ptr<RankedWaiter>> waiters;
        auto always = [](void* address) {
            return futon::core::WaitCheck{address, 0, [](void*, std::uint64_t) noexcept { return true; }};
        };
        auto enqueue = [&](void* address) {
            waiters.push_back(std::make_unique<RankedWaiter>(deliveries));
            shard.enqueue(*waiters.back(), always(address), futon::tables::hash_of(address));
        };
        // With the waiter's, eight lines fill the shard: the ninth, the grower's, splits the first bucket.
        static void* const others[] = {address_of_queue(Place::elsewhere, 0), address_of_queue(Place::elsewhere, 1),
                                       address_of_queue(Place::elsewhere, 2), address_of_queue(Place::elsewhere, 3),
                                       address_of_queue(Place::elsewhere, 4), address_of_queue(Place::elsewhere, 5)};
        static void* const another = address_of_queue(Place::elsewhere, 6);
        for (void* other : others) enqueue(other);
        enqueue(staying);
        RankedWaiter waiter(deliveries);
        static int* word;
        word = &cell;
        bool is_enqueued = false;
        std::size_t woken = 0;
        spawn("waiter", [&] {
            is_enqueued =
                shard.enqueue(waiter,
                              {moving, 0, [](void*, std::uint64_t) noexcept { return futon::Word(*word).load() == 0; }},
                              futon::tables::hash_of(moving)) == futon::core::EnqueueResult::queued;
        });
        spawn("grower", [&] {
            enqueue(another);
            const std::uint64_t hash = futon::tables::hash_of(staying);
            if (meanwhile == Meanwhile::a_dequeue) shard.dequeue(*waiters[6], WaitResult::timed_out, staying, hash);
            if (meanwhile == Meanwhile::a_requeue) {
                const std::uint64_t to = futon::tables::hash_of(another);
                futon::tables::Shard::Taking taking(staying, 1, hash);
                futon::tables::Shard::requeue(shard, taking, shard, always(another), to);
            }
            if (meanwhile == Meanwhile::a_failing_enqueue ||
                meanwhile == Meanwhile::a_failing_enqueue_without_a_fence) {
                using futon::core::FoundBy;
                RankedWaiter late(deliveries);
                shard.dequeue(*waiters[6], WaitResult::timed_out, staying, hash);
                const auto never = [](void*, std::uint64_t) noexcept { return false; };
                shard.enqueue(
                    late,
                    {staying, 0, never, meanwhile == Meanwhile::a_failing_enqueue ? FoundBy::notify : FoundBy::note},
                    hash);
            }
        });
        spawn("notifier", [&] {
            futon::Word(cell).store(1);
            const std::uint64_t hash = futon::tables::hash_of(moving);
            if (by == OrderedBy::fence) {
                futon::detail::fence_seq_cst();
                if (!shard.may_have_waiters<OrderedBy::fence>(hash)) return;
            } else if (!shard.may_have_waiters<OrderedBy::change>(hash)) {
                return;
            }
            futon::tables::Shard::Taking taking(moving, futon::everyone, hash);
            woken = shard.take(taking).length;
        });
        futon::explorer::join();
        check(woken == (is_enqueued ? 1u : 0u), "a waiter that was enqueued before the change is found");
    });
}

TEST(ModelGrowth, AWaiterIsFoundWhileItsBucketIsSplit) {
    split_during_a_search({}, "split during a search");
}

TEST(ModelGrowth, AWaiterIsFoundWhileItsBucketIsSplitOnAWeakMemory) {
    split_during_a_search({.stale_loads = 2}, "split during a search, weak");
}

TEST(ModelGrowth, AWaiterIsFoundAfterAChangeWithoutAFenceOnAWeakMemory) {
    split_during_a_search({.stale_loads = 2}, "split during a search without a fence, weak", Meanwhile::nothing,
                          OrderedBy::change);
}

TEST(ModelGrowth, AWaiterIsFoundAlsoIfAQueueOfItsBucketEndsOnAWeakMemory) {
    split_during_a_search({.stale_loads = 2}, "split and dequeue, weak", Meanwhile::a_dequeue);
}

TEST(ModelGrowth, AWaiterIsFoundAlsoIfAQueueOfItsBucketIsRequeuedOnAWeakMemory) {
    split_during_a_search({.stale_loads = 2}, "split and requeue, weak", Meanwhile::a_requeue);
}

TEST(ModelGrowth, AWaiterIsFoundAlsoIfAnEnqueueInItsBucketFailsOnAWeakMemory) {
    split_during_a_search({.stale_loads = 2}, "split and failing enqueue, weak", Meanwhile::a_failing_enqueue);
}

TEST(ModelGrowth, AWaiterIsFoundAlsoIfAnEnqueueWithoutAFenceFailsOnAWeakMemory) {
    split_during_a_search({.stale_loads = 2}, "split and failing enqueue without a fence, weak",
                          Meanwhile::a_failing_enqueue_without_a_fence);
}

/// Two queues share a filter bit. The bit of one whose waiters a note finds was set without a fence, so it announces none of the other.
TEST(ModelGrowth, AWaiterIsFoundAlsoIfItsBitIsSetByAWaiterThatANoteFindsOnAWeakMemory) {
    const futon::explorer::Options options{.stale_loads = 2};
    expect_holds("a word and a noted waiter of one bit, weak", options, [] {
        static int words[4096];
        static const auto [word, noted] = [] {
            const auto bit = [](int& word) {  // and its bucket
                const std::uint64_t hash = futon::tables::hash_of(&word);
                return std::pair(hash >> 58, hash % 8);
            };
            for (int& first : words)
                for (int& second : words)
                    if (&first < &second && bit(first) == bit(second)) return std::pair(&first, &second);
            return std::pair<int*, int*>(nullptr, nullptr);
        }();
        *word = 0;
        futon::tables::Shard shard;
        int deliveries = 0;
        RankedWaiter other(deliveries);
        RankedWaiter waiter(deliveries);
        bool is_enqueued = false;
        std::size_t woken = 0;
        spawn("waiters", [&] {
            const auto always = [](void*, std::uint64_t) noexcept { return true; };
            shard.enqueue(other, {noted, 0, always, futon::core::FoundBy::note}, futon::tables::hash_of(noted));
            is_enqueued = shard.enqueue(waiter, futon::Word(*word).equals(0), futon::tables::hash_of(word)) ==
                          futon::core::EnqueueResult::queued;
        });
        spawn("notifier", [&] {
            futon::Word(*word).store(1);
            futon::detail::fence_seq_cst();
            const std::uint64_t hash = futon::tables::hash_of(word);
            if (!shard.may_have_waiters<OrderedBy::fence>(hash)) return;
            futon::tables::Shard::Taking taking(word, futon::everyone, hash);
            woken = shard.take(taking).length;
        });
        futon::explorer::join();
        check(woken == (is_enqueued ? 1u : 0u), "a waiter that was enqueued before the change is found");
    });
}

TEST(ModelWaitAsync, ADroppedPromiseTakesNoNotify) {
    expect_holds("a dropped promise before a thread", {}, [] {
        Scene scene;
        spawn("loop", [&] {
            futon::EventLoop loop;
            { const futon::WaitAsyncResult dropped = futon::wait_async(scene.word(), 0); }
            scene.word().store(1);
            futon::notify(scene.word(), 1);
        });
        spawn("waiter", [&] { futon::wait(scene.word(), 0); });
        futon::explorer::join();
        check(futon::core::process_table().count(&scene.cell) == 0, "no waiter is queued");
    });
}

/// Completes outside of every notify.
class LaterWaiter final : public futon::core::AsyncWaiter {
public:
    LaterWaiter(futon::EventLoop& loop, const bool& in_notify) : AsyncWaiter(loop), in_notify_(in_notify) {}
    bool has_completed() const { return has_completed_; }

private:
    void on_complete(WaitResult) noexcept override {
        check(!in_notify_, "[later] no completion runs inside notify");
        has_completed_ = true;
    }

    const bool& in_notify_;
    bool has_completed_ = false;
};

TEST(ModelAsyncWaiter, CompletesLaterAndNotInsideNotify) {
    expect_holds("an AsyncWaiter notified by its own loop", {}, [] {
        Scene scene;
        spawn("loop", [&] {
            futon::EventLoop loop;
            bool in_notify = false;
            LaterWaiter waiter(loop, in_notify);
            waiter.enqueue(scene.word().equals(0));
            in_notify = true;
            futon::notify(scene.word());
            in_notify = false;
            loop.poll();
            check(waiter.has_completed(), "it completes in the end");
        });
        futon::explorer::join();
    });
}

TEST(ModelWait, ComparesAllEightBytes) {
    expect_holds("a word that differs in its upper half", {}, [] {
        std::int64_t cell = std::int64_t{1} << 40;
        spawn("waiter", [&] { check(futon::wait(futon::Word(cell), 0) == WaitResult::not_equal, "it differs"); });
        futon::explorer::join();
    });
}

}  // namespace
