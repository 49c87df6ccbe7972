// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include <futon/futon.hpp>

#include "explore.hpp"
#include "tables/hash.hpp"
#include "tables/shard.hpp"

namespace {

using futon::WaitResult;
using futon::explorer::check;
using futon::explorer::spawn;
using futon::tables::Shard;
using futon::test::expect_holds;

class NumberedWaiter final : public futon::core::Waiter {
public:
    std::size_t number = 0;
    std::size_t deliveries = 0;
    std::vector<std::size_t>* order = nullptr;

private:
    void deliver() noexcept override {
        ++deliveries;
        order->push_back(number);
    }
};

/// A queue of three waiters, and a notify that takes them one by one.
struct Parts {
    Parts() {
        for (std::size_t i = 0; i < waiters.size(); ++i) {
            waiters[i].number = i;
            waiters[i].order = &order;
        }
        for (std::size_t i = 0; i < 3; ++i) enqueue(i);
    }

    void enqueue(std::size_t i) {
        const futon::core::WaitCheck always{&word, 0, [](void*, std::uint64_t) noexcept { return true; }};
        shard.enqueue(waiters[i], always, hash());
    }
    bool dequeue(std::size_t i) {
        return shard.dequeue(waiters[i], WaitResult::cancelled, &word, hash()) == Shard::Found::queued;
    }

    /// As ProcessTable::notify.
    void notify(std::size_t count) {
        Shard::Taking taking(&word, count, hash(), 1);
        do {
            Shard::Chain chain = shard.take(taking);
            has_begun = true;
            check(chain.length <= 1, "[parts] a part is no longer than it may be");
            notified += chain.length;
            if (chain.first != nullptr) futon::core::WaiterAccess::deliver(*chain.first);
        } while (!taking.is_over());
    }

    bool is_delivered(std::size_t i) const { return waiters[i].deliveries > 0; }

    std::uint64_t hash() { return futon::tables::hash_of(&word); }

    Shard shard;
    int word = 0;
    std::array<NumberedWaiter, 4> waiters;
    std::vector<std::size_t> order;
    std::size_t notified = 0;
    bool has_begun = false;
};

TEST(ModelParts, ANotifyWakesAllThatWereQueuedWhenItBeganAndNoneThatCameLater) {
    expect_holds("a notify in parts, an enqueue", {}, [] {
        Parts parts;
        bool came_later = false;
        spawn("notifier", [&] { parts.notify(futon::everyone); });
        spawn("waiter", [&] {
            came_later = parts.has_begun;
            parts.enqueue(3);
        });
        futon::explorer::join();
        for (std::size_t i = 0; i < 3; ++i) check(parts.is_delivered(i), "who was queued is woken");
        check(!came_later || !parts.is_delivered(3), "[parts] who came later is not woken");
        check(parts.notified == parts.order.size(), "each was counted once");
        check(std::is_sorted(parts.order.begin(), parts.order.end()), "[fifo] the longest wait first");
        if (!parts.is_delivered(3)) check(parts.dequeue(3), "who was not woken is queued");
    });
}

TEST(ModelParts, ANotifyIsNotMisledByALastWaiterThatLeavesAndComesAgain) {
    expect_holds("a notify in parts, the last is dequeued and enqueued", {}, [] {
        Parts parts;
        bool left = false;
        bool left_later = false;
        spawn("notifier", [&] { parts.notify(futon::everyone); });
        spawn("last waiter", [&] {
            left_later = parts.has_begun;
            left = parts.dequeue(2);
            if (left) parts.enqueue(2);
        });
        futon::explorer::join();
        check(parts.is_delivered(0) && parts.is_delivered(1), "[parts] those before the one that left are woken");
        check(!left_later || !left || !parts.is_delivered(2), "[parts] who came again later is not woken");
        check(parts.notified == parts.order.size(), "each was counted once");
        if (!parts.is_delivered(2)) check(parts.dequeue(2), "who was not woken is queued");
    });
}

TEST(ModelParts, TwoNotifiesWakeEachWaiterOnce) {
    expect_holds("two notifies in parts, an enqueue", {}, [] {
        Parts parts;
        spawn("notifier", [&] { parts.notify(futon::everyone); });
        spawn("notifier of two", [&] { parts.notify(2); });
        spawn("waiter", [&] { parts.enqueue(3); });
        futon::explorer::join();
        for (std::size_t i = 0; i < 3; ++i)
            check(parts.waiters[i].deliveries == 1, "[once] who was queued is woken once");
        check(parts.notified == parts.order.size(), "each was counted once");
        if (!parts.is_delivered(3)) check(parts.dequeue(3), "who was not woken is queued");
    });
}

TEST(ModelParts, ANotifyEndsWhereAllThatAreLeftWereRequeued) {
    expect_holds("a notify in parts, a requeue and an enqueue", {}, [] {
        Parts parts;
        int other = 0;
        bool came_later = false;
        std::size_t moved = 0;
        const std::uint64_t to = futon::tables::hash_of(&other);
        spawn("notifier", [&] { parts.notify(futon::everyone); });
        spawn("requeuer", [&] {
            const futon::core::WaitCheck always{&other, 0, [](void*, std::uint64_t) noexcept { return true; }};
            came_later = parts.has_begun;
            moved = Shard::requeue(parts.shard, &parts.word, parts.hash(), parts.shard, always, to, futon::everyone);
            parts.enqueue(3);
        });
        futon::explorer::join();
        check(parts.shard.count(&other, to) == moved, "who was moved is not woken");
        check(parts.notified + moved + (parts.is_delivered(3) ? 0u : 1u) == 4, "each is woken, moved or queued");
        check(!came_later || !parts.is_delivered(3), "[parts] who came later is not woken");
        for (auto& waiter : parts.waiters)
            if (waiter.deliveries == 0) {
                const void* address = futon::tables::address_of(waiter);
                parts.shard.dequeue(waiter, WaitResult::cancelled, address, address == &other ? to : parts.hash());
            }
    });
}

}  // namespace
