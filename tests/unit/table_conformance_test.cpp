// SPDX-License-Identifier: MIT
// The tables that there are keep their contract, and the kit that says so finds those that do not.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <futon/conformance/wait_table.hpp>
#include <futon/core/queue/private_table.hpp>
#include <futon/core/queue/wait_table.hpp>

#include "support/gtest.hpp"
#include "support/small_table.hpp"

namespace {

using namespace std::chrono_literals;
using futon::WaitResult;
using futon::conformance::check_queues;
using futon::conformance::check_table;
using futon::core::EnqueueResult;
using futon::core::Place;
using futon::core::PrivateTable;
using futon::core::QueueVisitor;
using futon::core::WaitCheck;
using futon::core::Waiter;
using futon::core::WaitTable;
using futon::core::WakeVisitor;
using futon::test::SmallTable;
using ConformanceReport = futon::conformance::Report;

TEST(TableConformance, ThatOfTheProcessHolds) {
    const ConformanceReport report = check_table(futon::core::process_table());

    EXPECT_TRUE(report.holds()) << report.text();
    EXPECT_GT(report.held.size(), 40u);
}

TEST(TableConformance, ThatOfAPrivateTableHolds) {
    PrivateTable table;

    const ConformanceReport report = check_table(table);

    EXPECT_TRUE(report.holds()) << report.text();
}

TEST(TableConformance, ThatOfASmallTableHolds) {
    SmallTable table(16);

    const ConformanceReport report = check_queues(table);

    EXPECT_TRUE(report.holds()) << report.text();
    EXPECT_EQ(table.size(), 0u);
}

TEST(TableConformance, OnlySomeClausesAreCheckedIfAskedTo) {
    SmallTable table(16);

    const ConformanceReport report = check_queues(table, {.only = "place."});

    EXPECT_EQ(report.held, (std::vector<std::string>{"place.head", "place.by_request", "place.by_priority"}));
}

TEST(TableConformance, NothingHoldsWhereNothingWasChecked) {
    SmallTable table(16);

    EXPECT_FALSE(check_queues(table, {.only = "no such clause"}).holds());
}

TEST(TableConformance, ATableThatIsTooSmallIsToldSo) {
    SmallTable table(1);

    const ConformanceReport report = check_queues(table, {.only = "notify.fifo"});

    ASSERT_EQ(report.broken.size(), 1u);
    EXPECT_EQ(report.broken[0].found, "waiter 1 was not queued: the table is full");
    EXPECT_EQ(
        report.text(),
        "notify.fifo: waiters are notified in the order in which they were enqueued; but waiter 1 was not queued: the "
        "table is full\n0 clauses hold, 1 are broken\n");
}

/// A table that is right; what derives from it breaks one thing.
class Wrapper : public WaitTable {
public:
    EnqueueResult enqueue(Waiter& waiter, const WaitCheck& check, Place place) noexcept override {
        return inner().enqueue(waiter, check, place);
    }
    bool dequeue(Waiter& waiter, WaitResult result) noexcept override { return inner().dequeue(waiter, result); }
    bool is_queued(Waiter& waiter) noexcept override { return inner().is_queued(waiter); }
    bool must_wait(const WaitCheck& check) noexcept override { return inner().must_wait(check); }
    std::size_t notify(const void* address, std::size_t count) noexcept override {
        return inner().notify(address, count);
    }
    std::size_t wake_while(const void* address, WakeVisitor& visitor, std::size_t max_skips) noexcept override {
        return inner().wake_while(address, visitor, max_skips);
    }
    std::size_t requeue(const void* from, const WaitCheck& to, std::size_t count) noexcept override {
        return inner().requeue(from, to, count);
    }
    Waiter* dequeue_first(const void* address) noexcept override { return inner().dequeue_first(address); }
    std::size_t count(const void* address) noexcept override { return inner().count(address); }
    void visit(const void* address, QueueVisitor& visitor) noexcept override { inner().visit(address, visitor); }
    void visit_all(QueueVisitor& visitor) noexcept override { inner().visit_all(visitor); }

protected:
    ~Wrapper() = default;

    /// Never destroyed, for a broken clause may leave waiters behind.
    WaitTable& inner() noexcept { return *inner_; }

    static WaitCheck always(WaitCheck check) {
        return {check.address, check.expected, [](void*, std::uint64_t) noexcept { return true; }};
    }

private:
    static PrivateTable& make() {
        static auto* const tables = new std::vector<std::unique_ptr<PrivateTable>>;
        return *tables->emplace_back(std::make_unique<PrivateTable>());
    }

    PrivateTable* const inner_ = &make();
};

/// A new table. It is never destroyed, for a broken clause may leave waiters behind.
template <class Table>
Table& faulty() {
    static auto* const tables = new std::vector<std::unique_ptr<Table>>;
    return *tables->emplace_back(std::make_unique<Table>());
}

/// Expects that this clause is broken. A thread that comes too early has all the time to do so.
template <class Table>
void expect_broken(const std::string& clause, std::chrono::milliseconds patience = 30s) {
    const ConformanceReport report =
        check_table(faulty<Table>(), {.patience = patience, .head_start = 30s, .only = clause});

    EXPECT_TRUE(report.breaks(clause)) << report.text();
}

/// Expects that this clause is broken, and no other.
template <class Table>
void expect_broken_alone(const std::string& clause) {
    expect_broken<Table>(clause);

    const ConformanceReport report = check_table(faulty<Table>(), {.rounds = 50});

    for (const auto& broken : report.broken) EXPECT_EQ(broken.name, clause) << report.text();
}

/// A wait that is in vain where a clause is broken, as is expected.
constexpr auto in_vain = 200ms;

TEST(TableFaults, AForgottenPlaceIsFound) {
    struct Table final : Wrapper {
        EnqueueResult enqueue(Waiter& waiter, const WaitCheck& check, Place place) noexcept override {
            return inner().enqueue(waiter, check, place == Place::by_priority ? Place::by_request : place);
        }
    };
    expect_broken_alone<Table>("place.by_priority");
}

TEST(TableFaults, ACheckThatIsAskedOutsideOfTheLockIsFound) {
    struct Table final : Wrapper {
        EnqueueResult enqueue(Waiter& waiter, const WaitCheck& check, Place place) noexcept override {
            if (!check.must_wait()) return EnqueueResult::not_needed;
            return inner().enqueue(waiter, always(check), place);
        }
    };
    expect_broken<Table>("enqueue.one_step");
}

TEST(TableFaults, ACheckThatIsAskedTwiceIsFound) {
    struct Table final : Wrapper {
        EnqueueResult enqueue(Waiter& waiter, const WaitCheck& check, Place place) noexcept override {
            if (!inner().must_wait(check)) (void)inner().must_wait(check);
            return inner().enqueue(waiter, check, place);
        }
    };
    expect_broken<Table>("enqueue.not_needed");
}

TEST(TableFaults, AResultThatIsNotTheDequeuesIsFound) {
    struct Table final : Wrapper {
        bool dequeue(Waiter& waiter, WaitResult) noexcept override {
            return inner().dequeue(waiter, WaitResult::cancelled);
        }
    };
    expect_broken_alone<Table>("dequeue.once");
}

TEST(TableFaults, ADequeueThatSaysYesToTheIdleIsFound) {
    struct Table final : Wrapper {
        bool dequeue(Waiter& waiter, WaitResult result) noexcept override {
            return inner().dequeue(waiter, result) || waiter.address() == nullptr;  // it was never queued
        }
    };
    expect_broken_alone<Table>("dequeue.idle");
}

TEST(TableFaults, ANotifyThatWakesTooManyIsFound) {
    struct Table final : Wrapper {
        std::size_t notify(const void* address, std::size_t count) noexcept override {
            return std::min(count, inner().notify(address, futon::core::everyone));
        }
    };
    expect_broken<Table>("notify.count");
}

TEST(TableFaults, ANotifyFromTheTailIsFound) {
    struct Table final : Wrapper {
        EnqueueResult enqueue(Waiter& waiter, const WaitCheck& check, Place place) noexcept override {
            return inner().enqueue(waiter, check, place == Place::tail ? Place::head : place);
        }
    };
    expect_broken<Table>("notify.fifo");
}

TEST(TableFaults, ADeliveryUnderALockIsFound) {
    struct Table final : Wrapper {
        std::size_t notify(const void* address, std::size_t count) noexcept override {
            const std::scoped_lock hold(mutex_);
            return inner().notify(address, count);
        }
        bool must_wait(const WaitCheck& check) noexcept override {
            const std::scoped_lock hold(mutex_);
            return inner().must_wait(check);
        }
        std::mutex mutex_;
    };
    expect_broken<Table>("deliver.no_lock", in_vain);
}

TEST(TableFaults, ALostWakeUpIsFound) {
    struct Table final : Wrapper {
        std::size_t notify(const void* address, std::size_t count) noexcept override {
            if (inner().count(address) != 0 && ++notifies_ % 16 == 0) return 0;
            return inner().notify(address, count);
        }
        std::atomic<int> notifies_{0};
    };
    expect_broken<Table>("notify.no_lost_wake_up", in_vain);
}

TEST(TableFaults, AWakeUpLostAfterAChangeIsFound) {
    struct Table final : Wrapper {
        std::size_t notify_changed(const void* address, std::size_t count) noexcept override {
            if (inner().count(address) != 0 && ++notifies_ % 16 == 0) return 0;
            return inner().notify_changed(address, count);
        }
        std::atomic<int> notifies_{0};
    };
    expect_broken<Table>("notify_changed.no_lost_wake_up", in_vain);
}

TEST(TableFaults, AChangeThatWakesTooManyIsFound) {
    struct Table final : Wrapper {
        std::size_t notify_changed(const void* address, std::size_t) noexcept override {
            return inner().notify_changed(address, futon::core::everyone);
        }
    };
    expect_broken<Table>("notify_changed.fifo");
}

TEST(TableFaults, ANotifyThatCountsTheDroppedIsFound) {
    struct Table final : Wrapper {
        std::size_t notify(const void* address, std::size_t count) noexcept override {
            const std::size_t before = inner().count(address);
            const std::size_t woken = inner().notify(address, count);
            return std::max(woken, std::min(count, before - inner().count(address)));
        }
    };
    expect_broken<Table>("group.dropped");
}

TEST(TableFaults, SkipsWithoutABoundAreFound) {
    struct Table final : Wrapper {
        std::size_t wake_while(const void* address, WakeVisitor& visitor, std::size_t) noexcept override {
            return inner().wake_while(address, visitor, futon::core::everyone);
        }
    };
    expect_broken_alone<Table>("wake_while.max_skips");
}

/// Passes all on to another visitor but what it changes.
struct Filter : WakeVisitor {
    explicit Filter(WakeVisitor& other) : visitor(other) {}
    Decision decide(const Waiter& waiter) noexcept override {
        visitor.mark = mark;
        return visitor.decide(waiter);
    }
    futon::core::WakeToken take(const Waiter& waiter) noexcept override { return visitor.take(waiter); }
    bool may_pause() noexcept override { return visitor.may_pause(); }

    WakeVisitor& visitor;
};

TEST(TableFaults, AForgottenMarkIsFound) {
    struct Forgetful final : Filter {
        using Filter::Filter;
        void finish(bool queue_is_empty) noexcept override {
            visitor.mark = mark;
            visitor.finish(queue_is_empty);
        }
    };
    struct Table final : Wrapper {
        std::size_t wake_while(const void* address, WakeVisitor& visitor, std::size_t max_skips) noexcept override {
            Forgetful forgetful(visitor);
            return inner().wake_while(address, forgetful, max_skips);
        }
    };
    expect_broken_alone<Table>("wake_while.mark");
}

TEST(TableFaults, AFinishThatComesTooLateIsFound) {
    struct Noting final : Filter {
        using Filter::Filter;
        void finish(bool queue_is_empty) noexcept override { was_empty = queue_is_empty; }
        bool was_empty = false;
    };
    struct Table final : Wrapper {
        std::size_t wake_while(const void* address, WakeVisitor& visitor, std::size_t max_skips) noexcept override {
            Noting noting(visitor);
            const std::size_t woken = inner().wake_while(address, noting, max_skips);
            visitor.finish(noting.was_empty);
            return woken;
        }
    };
    expect_broken<Table>("wake_while.finish_first");
    expect_broken<Table>("wake_while.finish_locked");
}

TEST(TableFaults, ARequeueThatDoesNotAskIsFound) {
    struct Table final : Wrapper {
        std::size_t requeue(const void* from, const WaitCheck& to, std::size_t count) noexcept override {
            return inner().requeue(from, always(to), count);
        }
    };
    expect_broken<Table>("requeue.refused");
}

TEST(TableFaults, ARequeueThatWakesIsFound) {
    struct Table final : Wrapper {
        std::size_t requeue(const void* from, const WaitCheck& to, std::size_t count) noexcept override {
            return from != to.address && to.must_wait() ? inner().notify(from, count) : 0;
        }
    };
    expect_broken<Table>("requeue.moves");
}

TEST(TableFaults, ARequeueThatAsksBeforeItMovesIsFound) {
    struct Table final : Wrapper {
        std::size_t requeue(const void* from, const WaitCheck& to, std::size_t count) noexcept override {
            if (inner().count(from) == 0 || from == to.address || !to.must_wait()) return 0;
            return inner().requeue(from, always(to), count);
        }
    };
    expect_broken_alone<Table>("requeue.one_step");
}

TEST(TableFaults, AFirstThatIsDeliveredAlreadyIsFound) {
    struct Table final : Wrapper {
        Waiter* dequeue_first(const void* address) noexcept override {
            Waiter* const first = inner().dequeue_first(address);
            if (first != nullptr) WaitTable::deliver(*first);
            return first;
        }
    };
    expect_broken<Table>("dequeue_first.head");
}

TEST(TableFaults, AVisitThatIsIncompleteIsFound) {
    struct Table final : Wrapper {
        void visit_all(QueueVisitor&) noexcept override {}
    };
    expect_broken_alone<Table>("visit_all.once");
}

}  // namespace
