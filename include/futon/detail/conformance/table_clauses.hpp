// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include <futon/detail/conformance/race_clauses.hpp>
#include <futon/detail/conformance/trial.hpp>

// What a whole table shows, how waiters are dequeued for a caller, and how they are woken by a change that is a barrier.
namespace futon::detail::conformance {

/// Which of a trial's waiters it was shown, and whether at their addresses.
class Witness final : public core::QueueVisitor {
public:
    explicit Witness(const Trial& t) : t_(t) { seen.reserve(64); }

    void visit(const void* address, const core::Waiter& waiter) noexcept override {
        if (address != &t_.word && address != &t_.other) return;  // other users of the table
        are_at_home = are_at_home && waiter.address() == address;
        if (seen.size() < seen.capacity()) seen.push_back(static_cast<const Node&>(waiter).number);
    }

    std::vector<int> seen;
    bool are_at_home = true;

private:
    const Trial& t_;
};

inline void count_queue(Trial& t) {
    t.expect_number("of no waiter count said", t.table().count(&t.word), 0);
    for (int i = 0; i < 3; ++i) t.queue_new(t.word);
    t.queue_new(t.other);
    t.expect_number("count said", t.table().count(&t.word), 3);
    t.table().notify(&t.word, 1);
    t.expect_number("after a notify count said", t.table().count(&t.word), 2);
    t.table().notify(&t.word, core::everyone);
    t.expect_number("after a notify of all count said", t.table().count(&t.word), 0);
}

inline void visit_queue(Trial& t) {
    for (int i = 0; i < 3; ++i) {
        t.queue_new(t.word);
        t.queue_new(t.other);
    }
    Witness witness(t);
    t.table().visit(&t.word, witness);
    t.expect(witness.seen == std::vector{0, 2, 4}, "shown were " + Trial::list(witness.seen));
    t.expect(witness.are_at_home, "a waiter was shown at another address than its own");
    t.expect_delivered({});
}

inline void visit_all_queues(Trial& t) {
    for (int i = 0; i < 3; ++i) {
        t.queue_new(t.word);
        t.queue_new(t.other);
    }
    Witness witness(t);
    t.table().visit_all(witness);
    std::sort(witness.seen.begin(), witness.seen.end());
    t.expect(witness.seen == std::vector{0, 1, 2, 3, 4, 5}, "shown were " + Trial::list(witness.seen));
    t.expect(witness.are_at_home, "a waiter was shown at another address than its own");
}

inline void dequeue_first_head(Trial& t) {
    t.expect(t.table().dequeue_first(&t.word) == nullptr, "of an empty queue it returned a waiter");
    Node& first = t.queue_new(t.word);
    t.queue_new(t.word);
    core::Waiter* const found = t.table().dequeue_first(&t.word);
    t.expect(found == &first, "it was not the first");
    t.expect_delivered({});
    t.expect(!t.table().is_queued(first) && first.result() == WaitResult::ok,
             "it was still queued, or its result not ok");
    t.expect_number("a notify woke", t.table().notify(&t.word, core::everyone), 1);
    t.expect(t.table().dequeue_first(&t.word) == nullptr, "of an emptied queue it returned a waiter");
}

inline void dequeue_first_groups(Trial& t) {
    t.group.is_over = true;
    Node& over = t.add(t.group);
    t.queue(over, t.word);
    Node& alive = t.queue_new(t.word);
    t.queue(t.add(t.group), t.word);
    t.expect(t.table().dequeue_first(&t.word) == &alive, "it was not the first that is not over");
    t.expect(!t.table().is_queued(over), "the member before it was still queued");
    t.expect(t.table().dequeue_first(&t.word) == nullptr, "a member that is over was returned");
    t.expect_number("waiters left were", t.table().count(&t.word), 0);
    t.expect_delivered({});
}

inline void notify_changed(Trial& t) {
    for (int i = 0; i < 3; ++i) t.queue_new(t.word);
    t.expect_number("notify_changed of two woke", t.table().notify_changed(&t.word, 2), 2);
    t.expect_number("notify_changed of none woke", t.table().notify_changed(&t.word, 0), 0);
    t.expect_number("notify_changed of all woke", t.table().notify_changed(&t.word, core::everyone), 1);
    t.expect_delivered({0, 1, 2});
}

inline void no_lost_wake_up_by_a_change(Trial& t) {
    bring_by_turns(t, [&t](Key& key) { t.table().notify_changed(&key, 1); });
}

inline void deliver_token(Trial& t) {
    Node& node = t.queue_new(t.word);
    if (core::Waiter* const found = t.table().dequeue_first(&t.word))
        core::WaitTable::deliver(*found, WakeToken::handed_off);
    t.expect_delivered({node.number});
    t.expect(node.token() == WakeToken::handed_off, "the token was another");
}

inline std::span<const Clause> table_clauses() {
    static constexpr Clause clauses[] = {
        {"count.queue", "count says how many waiters are queued at the address", count_queue},
        {"visit.queue", "visit shows the waiters of its address, in their order", visit_queue},
        {"visit_all.once", "visit_all shows each waiter once", visit_all_queues},
        {"dequeue_first.head", "dequeue_first returns the first waiter, undelivered, or null", dequeue_first_head},
        {"dequeue_first.groups", "dequeue_first drops members of groups that are over", dequeue_first_groups},
        {"notify_changed.fifo", "notify_changed wakes as notify does", notify_changed},
        {"notify_changed.no_lost_wake_up",
         "a notify_changed reaches a waiter whose check has not seen the change before it",
         no_lost_wake_up_by_a_change},
        {"deliver.token", "deliver gives the waiter that was dequeued its token", deliver_token},
    };
    return clauses;
}

}  // namespace futon::detail::conformance

#include <futon/detail/end.hpp>
