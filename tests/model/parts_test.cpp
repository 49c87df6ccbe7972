// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include <futon/futon.hpp>

#include "explore.hpp"
#include "queue/hash.hpp"
#include "queue/shard.hpp"

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
            Shard::Taking all(&parts.word, futon::everyone, parts.hash());
            moved = Shard::requeue(parts.shard, all, parts.shard, always, to);
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

/// What a signal does with those that wait for it.
class Signal final : public futon::core::WakeVisitor {
public:
    bool is_given = false;

private:
    Decision decide(const futon::core::Waiter&) noexcept override { return Decision::take; }
    futon::core::WakeToken take(const futon::core::Waiter&) noexcept override {
        return futon::core::WakeToken::handed_off;
    }
    bool may_pause() noexcept override { return true; }
    void finish(bool queue_is_empty) noexcept override {
        check(queue_is_empty && !is_given, "[signal] it is given once, when no one is queued");
        is_given = true;
    }
};

TEST(ModelParts, ASignalIsGivenWhenAllAreTakenAndNoneIsDeliveredBefore) {
    expect_holds("a signal in parts, an enqueue, a time-out", {}, [] {
        Parts parts;
        Signal signal;
        bool is_enqueued = false;
        bool is_over = false;
        spawn("signaller", [&] {
            Shard::Gathering gathering(&parts.word, parts.hash(), 1);
            while (parts.shard.take_while(gathering, signal, 64))
                check(parts.order.empty(), "[last-touch] none is delivered before the signal is given");
            for (auto* waiter = gathering.chain().first; waiter != nullptr;) {
                auto* next = futon::core::WaiterAccess::next(*waiter);
                futon::core::WaiterAccess::deliver(*waiter);
                waiter = next;
            }
        });
        spawn("waiter", [&] {
            const futon::core::WaitCheck unless_given{
                &parts.word, reinterpret_cast<std::uintptr_t>(&signal), [](void*, std::uint64_t given) noexcept {
                    return !reinterpret_cast<Signal*>(static_cast<std::uintptr_t>(given))->is_given;
                }};
            is_enqueued =
                parts.shard.enqueue(parts.waiters[3], unless_given, parts.hash()) == futon::core::EnqueueResult::queued;
        });
        spawn("last waiter", [&] { is_over = parts.dequeue(2); });
        futon::explorer::join();
        check(signal.is_given, "the signal is given");
        for (std::size_t i = 0; i < 2; ++i) check(parts.waiters[i].deliveries == 1, "who waits is released");
        check(parts.waiters[2].deliveries == (is_over ? 0u : 1u), "unless its time is over");
        check(parts.waiters[3].deliveries == (is_enqueued ? 1u : 0u), "who comes before the signal is released");
        check(std::is_sorted(parts.order.begin(), parts.order.end()), "[fifo] the longest wait first");
    });
}

/// Takes all that were queued when it began.
class Ending final : public futon::core::WakeVisitor {
private:
    Decision decide(const futon::core::Waiter&) noexcept override { return Decision::take; }
    futon::core::WakeToken take(const futon::core::Waiter&) noexcept override { return futon::core::WakeToken::none; }
    bool may_pause() noexcept override { return true; }
    bool takes_latecomers() noexcept override { return false; }
};

TEST(ModelParts, AVisitorThatWantsNoLatecomersTakesThoseThatWereQueuedWhenItBegan) {
    expect_holds("a visitor in parts, an enqueue, a time-out", {}, [] {
        Parts parts;
        bool came_later = false;
        bool is_over = false;
        std::size_t taken = 0;
        spawn("visitor", [&] {
            Ending ending;
            Shard::Gathering gathering(&parts.word, parts.hash(), 1);
            while (parts.shard.take_while(gathering, ending, 64)) parts.has_begun = true;
            parts.has_begun = true;
            taken = gathering.chain().length;
        });
        spawn("waiter", [&] {
            came_later = parts.has_begun;
            parts.enqueue(3);
        });
        spawn("last waiter", [&] { is_over = parts.dequeue(2); });
        futon::explorer::join();
        const bool is_left = parts.dequeue(3);
        check(!came_later || is_left, "[parts] who came later is not taken");
        check(taken == 4u - (is_left ? 1 : 0) - (is_over ? 1 : 0), "who was queued is taken");
        check(parts.shard.count(&parts.word, parts.hash()) == 0, "each once");
    });
}

TEST(ModelParts, AMoveTakesAllThatWereQueuedWhenItBeganAndNoneThatCameLater) {
    expect_holds("a move in parts, an enqueue, a time-out", {}, [] {
        Parts parts;
        int other = 0;
        bool has_begun = false;
        bool came_later = false;
        bool is_over = false;
        std::size_t moved = 0;
        const std::uint64_t to = futon::tables::hash_of(&other);
        spawn("requeuer", [&] {
            const futon::core::WaitCheck always{&other, 0, [](void*, std::uint64_t) noexcept { return true; }};
            Shard::Taking taking(&parts.word, futon::everyone, parts.hash(), 1);
            do {
                const std::size_t part = Shard::requeue(parts.shard, taking, parts.shard, always, to);
                has_begun = true;
                check(part <= 1, "[parts] a part is no longer than it may be");
                moved += part;
            } while (!taking.is_over());
        });
        spawn("waiter", [&] {
            came_later = has_begun;
            parts.enqueue(3);
        });
        spawn("last waiter", [&] { is_over = parts.dequeue(2); });
        futon::explorer::join();
        const auto is_moved = [&](std::size_t i) {
            return futon::tables::address_of(parts.waiters[i]) == static_cast<const void*>(&other);
        };
        check(is_moved(0) && is_moved(1), "who was queued is moved");
        check(!came_later || !is_moved(3), "[parts] who came later is not");
        check(parts.shard.count(&other, to) + (is_over && is_moved(2) ? 1u : 0u) == moved, "each is counted once");
        for (std::size_t i = 0; i < 4; ++i) {
            if (i == 2 && is_over) continue;
            parts.shard.dequeue(parts.waiters[i], WaitResult::cancelled, futon::tables::address_of(parts.waiters[i]),
                                is_moved(i) ? to : parts.hash());
        }
    });
}

}  // namespace
