// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstddef>
#include <span>
#include <vector>

#include <futon/detail/conformance/race_clauses.hpp>
#include <futon/detail/conformance/trial.hpp>

// How waiters are moved from one queue to another.
namespace futon::detail::conformance {

inline void requeue_moves(Trial& t) {
    t.queue_new(t.other);
    Node& first = t.queue_new(t.word);
    Node& second = t.queue_new(t.word);
    t.expect_number("requeue moved", t.table().requeue(&t.word, t.other.check(), core::everyone), 2);
    t.expect_delivered({});
    t.expect(t.queues.is_queued(first) && second.is_waiting(), "a moved waiter was not queued");
    t.expect(first.address() == &t.other, "the address of a moved waiter was not its queue's");
    t.expect_number("a notify of the old address woke", t.table().notify(&t.word, core::everyone), 0);
    t.expect(t.queues.dequeue(first, WaitResult::cancelled), "the owner could not dequeue a moved waiter");
    t.expect_number("a notify of the new address woke", t.table().notify(&t.other, core::everyone), 2);
    t.expect_delivered({0, second.number});
}

inline void requeue_count(Trial& t) {
    for (int i = 0; i < 4; ++i) t.queue_new(t.word);
    t.expect_number("with a count of 0 requeue moved", t.table().requeue(&t.word, t.other.check(), 0), 0);
    t.expect_number("with a count of 2 requeue moved", t.table().requeue(&t.word, t.other.check(), 2), 2);
    t.table().notify(&t.word, core::everyone);
    t.expect_delivered({2, 3});
    t.table().notify(&t.other, core::everyone);
    t.expect_delivered({2, 3, 0, 1});
}

inline void requeue_told(Trial& t) {
    Node& first = t.queue_new(t.word);
    Node& second = t.queue_new(t.word);
    t.table().requeue(&t.word, t.other.check(42), 1);
    t.expect(first.moves == 1 && second.moves == 0, "not the moved waiter was told, or not once");
    t.expect(first.moved_for == 42, "the waiter was told another `expected`");
    t.expect(!first.was_last, "the waiter was told that the queue it left is empty, which it was not");
    t.table().requeue(&t.word, t.other.check(43), core::everyone);
    t.expect(second.moves == 1 && second.moved_for == 43, "the second waiter was not told");
    t.expect(second.was_last, "the last was not told that the queue it left is empty");
}

inline void requeue_refused(Trial& t) {
    Node& first = t.queue_new(t.word);
    t.queue_new(t.word);
    t.other.must_wait = false;
    t.expect_number("requeue moved", t.table().requeue(&t.word, t.other.check(), core::everyone), 0);
    t.expect(t.other.asked != 0, "the check was not asked");
    t.expect(first.moves == 0 && first.address() == &t.word, "a waiter was moved");
    t.expect_number("a notify of the new address woke", t.table().notify(&t.other, core::everyone), 0);
    t.expect_number("a notify of the old address woke", t.table().notify(&t.word, core::everyone), 2);
    t.expect_delivered({0, 1});
}

inline void requeue_to_itself(Trial& t) {
    t.queue_new(t.word);
    t.queue_new(t.word);
    t.expect_number("requeue moved", t.table().requeue(&t.word, t.word.check(), 1), 0);
    t.table().notify(&t.word, core::everyone);
    t.expect_delivered({0, 1});
}

inline void requeue_empty(Trial& t) {
    t.queue_new(t.other);
    t.other.asked = 0;
    t.expect_number("requeue moved", t.table().requeue(&t.word, t.other.check(), core::everyone), 0);
    t.expect(t.other.asked == 0, "the check was asked");
}

inline void requeue_groups(Trial& t) {
    t.queue(t.add(t.group), t.word);
    t.queue_new(t.word);
    t.queue(t.add(t.group), t.word);
    t.group.is_over = true;
    t.expect_number("requeue moved", t.table().requeue(&t.word, t.other.check(), core::everyone), 3);
    t.expect_number("claims were", static_cast<std::size_t>(t.group.claims), 0);
    t.expect_number("a notify woke", t.table().notify(&t.other, core::everyone), 1);
    t.expect_delivered({1});
}

inline void requeue_many(Trial& t) {
    constexpr std::size_t very_many = 300;
    std::vector<int> expected;
    for (std::size_t i = 0; i < very_many; ++i) expected.push_back(t.queue_new(t.word).number);
    t.expect_number("requeue of 300 moved", t.table().requeue(&t.word, t.other.check(), core::everyone), very_many);
    // Back again, with a check that refuses a second part if there is one.
    t.word.ask = [&asked = t.word.asked, before = t.word.asked.load()] { return asked == before + 1; };
    const std::size_t moved = t.table().requeue(&t.other, t.word.check(), core::everyone);
    t.expect(moved != 0, "a check that allows one part has let none be moved");
    t.expect_number("of the moved ones a notify woke", t.table().notify(&t.word, core::everyone), moved);
    t.expect_number("of the others a notify woke", t.table().notify(&t.other, core::everyone), very_many - moved);
    t.expect_delivered(expected);
}

inline void requeue_one_step(Trial& t) {
    t.queue_new(t.word);
    Intruder intruder(t, t.other);
    t.expect_number("requeue moved", t.table().requeue(&t.word, t.other.check(), core::everyone), 1);
    t.expect_number("a notify after the check had read the word woke", intruder.woken(), 1);
}

inline std::span<const Clause> requeue_clauses() {
    static constexpr Clause clauses[] = {
        {"requeue.moves", "requeue moves waiters to the tail of another queue, undelivered", requeue_moves},
        {"requeue.count", "requeue moves up to `count` waiters from the head, in their order", requeue_count},
        {"requeue.told", "each waiter is told that it moves, with the check's `expected`, and whether it is the last",
         requeue_told},
        {"requeue.refused", "no waiter is moved if the check says that it need not wait", requeue_refused},
        {"requeue.to_itself", "a requeue to the same address moves none", requeue_to_itself},
        {"requeue.empty", "of an empty queue the check is not asked", requeue_empty},
        {"requeue.groups", "members of groups are moved unclaimed", requeue_groups},
        {"requeue.many", "very many are moved in their order, up to the part that the check refuses", requeue_many},
        {"requeue.one_step", "the check and the move are one step: no notify falls between", requeue_one_step},
    };
    return clauses;
}

}  // namespace futon::detail::conformance

#include <futon/detail/end.hpp>
