// SPDX-License-Identifier: MIT
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include <futon/core/queue/blocked_waiter.hpp>
#include <futon/futon.hpp>

#include "explore.hpp"

namespace {

using namespace std::chrono_literals;
using futon::Deadline;
using futon::WaitResult;
using futon::Word;
using futon::core::BlockedWaiter;
using futon::core::process_table;
using futon::core::WaitCheck;
using futon::core::WakeToken;
using futon::core::WakeVisitor;
using futon::explorer::check;
using futon::explorer::spawn;
using futon::test::expect_holds;

WaitCheck always(void* address) {
    return {address, 0, [](void*, std::uint64_t) noexcept { return true; }};
}

/// Two words whose waiters are moved from the one to the other.
struct RequeueScene {
    int from = 0;
    int to = 0;
    std::size_t notified = 0;
    std::size_t ok = 0;

    void sleep(BlockedWaiter& waiter, Deadline deadline = Deadline::never()) {
        if (waiter.sleep(process_table(), deadline) == WaitResult::ok) ++ok;
    }
    void check_all_accounted() {
        check(notified == ok, "the sum of notify's results is the number of ok");
        check(process_table().count(&from) == 0, "no waiter is left in the source's queue");
        check(process_table().count(&to) == 0, "no waiter is left in the destination's queue");
    }
};

TEST(ModelRequeue, AMovedWaiterIsWokenAtItsDestinationOrTimesOut) {
    expect_holds("requeue, a deadline, two notifiers", {}, [] {
        RequeueScene scene;
        BlockedWaiter waiter;
        check(waiter.enqueue(process_table(), always(&scene.from)) == futon::core::EnqueueResult::queued,
              "it is queued");
        spawn("waiter", [&] { scene.sleep(waiter, Deadline(1ms)); });
        spawn("requeuer", [&] { process_table().requeue(&scene.from, always(&scene.to), futon::everyone); });
        spawn("notifier", [&] { scene.notified += process_table().notify(&scene.to, 1); });
        spawn("other notifier", [&] { scene.notified += process_table().notify(&scene.from, 1); });
        futon::explorer::join();
        scene.check_all_accounted();
    });
}

TEST(ModelRequeue, KeepsTheOrderAndMovesNoMoreThanAsked) {
    expect_holds("requeue of two of three, a dequeue from the middle", {}, [] {
        RequeueScene scene;
        static std::vector<int> order;
        order.clear();
        class RankedWaiter final : public futon::core::Waiter {
        public:
            int rank = 0;

        private:
            void deliver() noexcept override { order.push_back(rank); }
        };
        std::array<RankedWaiter, 3> waiters;
        for (int i = 0; i < 3; ++i) {
            waiters[static_cast<std::size_t>(i)].rank = i;
            process_table().enqueue(waiters[static_cast<std::size_t>(i)], always(&scene.from));
        }
        bool is_removed = false;
        std::size_t moved = 0;
        spawn("requeuer", [&] { moved = process_table().requeue(&scene.from, always(&scene.to), 2); });
        spawn("remover", [&] { is_removed = process_table().dequeue(waiters[1], WaitResult::cancelled); });
        futon::explorer::join();
        check(is_removed && moved == 2, "a waiter is dequeued from whichever queue it is in");
        const std::size_t at_destination = process_table().notify(&scene.to, futon::everyone);
        const std::size_t at_source = process_table().notify(&scene.from, futon::everyone);
        check(at_destination + at_source == 2, "no waiter is lost");
        check(order == std::vector{0, 2}, "[fifo] the order is kept");
    });
}

// At three places, for at one place in so many as there are shards both queues are in the same.
TEST(ModelRequeue, TwoThatMoveInOppositeDirectionsDoNotWaitForEachOther) {
    for (const std::size_t place : {1, 2, 3})
        expect_holds("two requeues in opposite directions", {}, [place] {
            std::deque<RequeueScene> scenes(place);
            RequeueScene& scene = scenes.back();
            BlockedWaiter one;
            BlockedWaiter other;
            one.enqueue(process_table(), always(&scene.from));
            other.enqueue(process_table(), always(&scene.to));
            spawn("there", [&] { process_table().requeue(&scene.from, always(&scene.to), futon::everyone); });
            spawn("back", [&] { process_table().requeue(&scene.to, always(&scene.from), futon::everyone); });
            spawn("waiter", [&] { scene.sleep(one, Deadline(1ms)); });
            futon::explorer::join();
            process_table().dequeue(other, WaitResult::cancelled);
            scene.check_all_accounted();
        });
}

void change_at_the_destination(const char* name, futon::explorer::Options options) {
    expect_holds(name, options, [] {
        RequeueScene scene;
        BlockedWaiter waiter;
        waiter.enqueue(process_table(), always(&scene.from));
        spawn("waiter", [&] { scene.sleep(waiter); });
        spawn("requeuer", [&] {
            const std::size_t moved = process_table().requeue(&scene.from, Word(scene.to).equals(0), 1);
            if (moved == 0) scene.notified += process_table().notify(&scene.from, 1);
        });
        spawn("changer", [&] {
            Word(scene.to).store(1);
            scene.notified += futon::notify(Word(scene.to));
        });
        futon::explorer::join();
        scene.check_all_accounted();
    });
}

TEST(ModelRequeue, AChangeAtTheDestinationIsNeverMissed) {
    change_at_the_destination("requeue, store + notify", {});
}

TEST(ModelRequeue, AChangeAtTheDestinationIsNeverMissedOnAWeakMemory) {
    change_at_the_destination("requeue, store + notify, weak", {.preemptions = 4, .stale_loads = 3});
}

/// Takes waiters while its permits last, in their order.
class Permits final : public WakeVisitor {
public:
    explicit Permits(std::uint64_t count) : left(count) {}

    Decision decide(const futon::core::Waiter& waiter) noexcept override {
        return waiter.request().word <= left ? Decision::take : Decision::stop;
    }
    WakeToken take(const futon::core::Waiter& waiter) noexcept override {
        left -= waiter.request().word;
        return WakeToken::handed_off;
    }
    void finish(bool queue_is_empty) noexcept override { is_empty = queue_is_empty; }

    std::uint64_t left;
    bool is_empty = false;
};

/// A thread that asks for some permits.
class Asking final : public BlockedWaiter {
public:
    explicit Asking(std::uint64_t permits) : permits_(permits) {}
    futon::core::Demand request() const noexcept override { return permits_; }

private:
    const std::uint64_t permits_;
};

TEST(ModelWakeWhile, GivesEachPermitOnceWhateverTimesOut) {
    expect_holds("wake_while, two waiters with deadlines, two wakers", {}, [] {
        RequeueScene scene;
        std::uint64_t given = 0;
        std::uint64_t left = 0;
        Asking two(2);
        Asking one(1);
        two.enqueue(process_table(), always(&scene.from));
        one.enqueue(process_table(), always(&scene.from));
        auto sleep = [&](Asking& waiter) {
            if (waiter.sleep(process_table(), Deadline(1ms)) != WaitResult::ok) return;
            check(waiter.token() == WakeToken::handed_off, "a taken waiter has its token");
            given += waiter.request().word;
        };
        spawn("two", [&] { sleep(two); });
        spawn("one", [&] { sleep(one); });
        for (int i = 0; i < 2; ++i)
            spawn("waker", [&] {
                Permits permits(2);
                process_table().wake_while(&scene.from, permits);
                left += permits.left;
            });
        futon::explorer::join();
        check(given + left == 4, "[visit] no permit is lost or given twice");
        check(process_table().count(&scene.from) == 0, "no waiter is left in the queue");
    });
}

TEST(ModelWakeWhile, StopsAtAWaiterThatAsksForTooMuch) {
    expect_holds("wake_while, a waiter that asks for too much", {}, [] {
        RequeueScene scene;
        Asking two(2);
        Asking one(1);
        two.enqueue(process_table(), always(&scene.from));
        spawn("waker", [&] {
            Permits permits(1);
            check(process_table().wake_while(&scene.from, permits) == 0, "[visit] no waiter is overtaken");
        });
        spawn("one", [&] { one.enqueue(process_table(), always(&scene.from)); });
        futon::explorer::join();
        check(process_table().count(&scene.from) == 2, "both are still queued");
        process_table().dequeue(one, WaitResult::cancelled);
        process_table().dequeue(two, WaitResult::cancelled);
    });
}

}  // namespace
