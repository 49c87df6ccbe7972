// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstddef>
#include <span>

#include <futon/detail/conformance/trial.hpp>

// Who is enqueued, dequeued and notified.
namespace futon::detail::conformance {

inline void enqueue_queued(Trial& t) {
    Node& node = t.add();
    t.queue(node, t.word);
    t.expect(t.queues.is_queued(node), "is_queued said no");
    t.expect(node.is_waiting(), "the state of the waiter was idle");
    t.expect_delivered({});
}

inline void enqueue_not_needed(Trial& t) {
    Node& node = t.add();
    t.word.must_wait = false;
    t.expect(t.queues.enqueue(node, t.word.check()) == EnqueueResult::not_needed, "enqueue did not say not_needed");
    t.expect(!t.queues.is_queued(node), "the waiter was queued");
    t.expect(!node.is_waiting(), "the state of the waiter was waiting");
    t.expect_number("a notify woke", t.queues.notify(&t.word, core::everyone), 0);
    t.expect_number("the check was asked so often after it had said no:", static_cast<std::size_t>(t.word.asked), 1);
}

inline void enqueue_check(Trial& t) {
    Node& node = t.add();
    constexpr std::uint64_t expected = 0x0123'4567'89ab'cdef;
    t.queues.enqueue(node, t.word.check(expected), Place::tail);
    t.expect(t.word.asked != 0, "the check was not asked");
    t.expect(t.word.told == expected, "the check was asked with another `expected`");
    t.expect(t.other.asked == 0, "the check of another address was asked");
}

inline void enqueue_again(Trial& t) {
    t.may_be_delivered_again = true;
    Node& node = t.queue_new(t.word);
    Node& second = t.queue_new(t.other);
    t.queues.notify(&t.word, 1);
    t.queue(node, t.other);
    t.expect_number("a notify of the old address woke", t.queues.notify(&t.word, core::everyone), 0);
    t.expect_number("a notify of the new address woke", t.queues.notify(&t.other, 1), 1);
    t.expect(second.deliveries == 1 && node.deliveries == 1, "the new waiter was not at the tail");
    t.queues.dequeue(node, WaitResult::timed_out);
    t.queue(node, t.word);
    t.expect_number("a notify after a dequeue and an enqueue woke", t.queues.notify(&t.word, core::everyone), 1);
    t.expect(node.result() == WaitResult::ok, "the result was still the previous wait's");
}

inline void waiter_address(Trial& t) {
    Node& notified = t.queue_new(t.word);
    Node& dequeued = t.queue_new(t.other);
    t.queues.notify(&t.word, 1);
    t.queues.dequeue(dequeued, WaitResult::cancelled);
    t.expect(notified.address() == &t.word && dequeued.address() == &t.other, "it was another");
}

inline void must_wait_asks(Trial& t) {
    t.expect(t.queues.must_wait(t.word.check(7)), "must_wait said no where the check says yes");
    t.expect(t.word.told == 7, "the check was asked with another `expected`");
    t.word.must_wait = false;
    t.expect(!t.queues.must_wait(t.word.check()), "must_wait said yes where the check says no");
    t.expect_number("a notify woke", t.queues.notify(&t.word, core::everyone), 0);
}

inline void dequeue_once(Trial& t) {
    Node& node = t.queue_new(t.word);
    t.expect(t.queues.dequeue(node, WaitResult::timed_out), "the first dequeue returned false");
    t.expect(!t.queues.is_queued(node) && !node.is_waiting(), "the waiter was still queued");
    t.expect(!t.queues.dequeue(node, WaitResult::cancelled), "the second dequeue returned true");
    t.expect(node.result() == WaitResult::timed_out, "the result was not the first dequeue's");
    t.expect_number("a notify woke", t.queues.notify(&t.word, core::everyone), 0);
    t.expect_delivered({});
}

inline void dequeue_others_stay(Trial& t) {
    for (int left_out = 0; left_out < 3; ++left_out) {
        std::vector<Node*> nodes;
        std::vector<int> expected = t.delivered();
        for (int i = 0; i < 3; ++i) {
            nodes.push_back(&t.queue_new(t.word));
            if (i != left_out) expected.push_back(nodes.back()->number);
        }
        t.expect(t.queues.dequeue(*nodes[static_cast<std::size_t>(left_out)], WaitResult::cancelled),
                 "dequeue returned false");
        t.expect_number("a notify woke", t.queues.notify(&t.word, core::everyone), 2);
        t.expect_delivered(expected);
    }
}

inline void dequeue_idle(Trial& t) {
    Node& never = t.add();
    t.expect(!t.queues.dequeue(never, WaitResult::cancelled), "a waiter that was never queued was dequeued");
    Node& notified = t.queue_new(t.word);
    t.queues.notify(&t.word, 1);
    t.expect(!t.queues.dequeue(notified, WaitResult::cancelled), "a notified waiter was dequeued");
    t.expect(notified.result() == WaitResult::ok, "the result of a notified waiter was changed");
    t.expect_delivered({notified.number});
}

inline void notify_fifo(Trial& t) {
    for (int i = 0; i < 5; ++i) {
        t.queue_new(t.word);
        t.queue_new(t.other);
    }
    t.queues.notify(&t.word, 2);
    t.expect_delivered({0, 2});
    t.queues.notify(&t.word, core::everyone);
    t.expect_delivered({0, 2, 4, 6, 8});
}

inline void notify_count(Trial& t) {
    t.expect_number("of no waiter a notify woke", t.queues.notify(&t.word, core::everyone), 0);
    for (int i = 0; i < 5; ++i) t.queue_new(t.word);
    t.expect_number("a notify of 0 woke", t.queues.notify(&t.word, 0), 0);
    t.expect_delivered({});
    t.expect_number("a notify of 1 woke", t.queues.notify(&t.word, 1), 1);
    t.expect_number("a notify of 2 woke", t.queues.notify(&t.word, 2), 2);
    t.expect_delivered({0, 1, 2});
    t.expect_number("a notify of 3, with 2 waiters, woke", t.queues.notify(&t.word, 3), 2);
    t.expect_number("a notify of no waiter woke", t.queues.notify(&t.word, core::everyone), 0);
    t.expect_delivered({0, 1, 2, 3, 4});
}

inline void notify_own_address(Trial& t) {
    t.queue_new(t.word);
    t.queue_new(t.other);
    t.expect_number("a notify of an address inside of the word woke",
                    t.queues.notify(reinterpret_cast<const char*>(&t.word) + 1, core::everyone), 0);
    t.expect_number("a notify woke", t.queues.notify(&t.other, core::everyone), 1);
    t.expect_delivered({1});
}

inline void notify_result(Trial& t) {
    Node& node = t.queue_new(t.word);
    t.queues.notify(&t.word, 1);
    t.expect(node.result() == WaitResult::ok, "the result was not ok");
    t.expect(node.token() == WakeToken::none, "the token was not `none`");
    t.expect(!t.queues.is_queued(node) && !node.is_waiting(), "the waiter was still queued");
}

inline void group_dropped(Trial& t) {
    t.queue(t.add(t.group), t.word);
    Node& late = t.add(t.group);
    t.queue(late, t.word);
    t.queue_new(t.word);
    t.queue(t.add(t.group), t.word);
    t.expect_number("a notify of 1, at the first member, woke", t.queues.notify(&t.word, 1), 1);
    t.expect_number("a notify of 1, past a member that is over, woke", t.queues.notify(&t.word, 1), 1);
    t.expect_delivered({0, 2});
    t.expect(!t.queues.is_queued(late), "the member that was passed was still queued");
    t.expect_number("a notify, with none but a member that is over, woke", t.queues.notify(&t.word, core::everyone), 0);
    t.expect_delivered({0, 2});
    t.expect(!t.queues.dequeue(late, WaitResult::timed_out), "its owner could dequeue a member that was dropped");
}

inline void group_dequeue(Trial& t) {
    Node& member = t.add(t.group);
    t.queue(member, t.word);
    t.expect(t.queues.dequeue(member, WaitResult::cancelled), "dequeue returned false");
    t.expect_number("the group was claimed so often:", static_cast<std::size_t>(t.group.claims), 0);
    t.expect(!t.queues.is_queued(member), "the member was still queued");
}

inline std::span<const Clause> queue_clauses() {
    static constexpr Clause clauses[] = {
        {"enqueue.queued", "a waiter is queued if its check says that it must wait", enqueue_queued},
        {"enqueue.not_needed", "a waiter is not queued if its check says no, and the check is not asked again",
         enqueue_not_needed},
        {"enqueue.check", "the check is asked with its own `expected`", enqueue_check},
        {"enqueue.again", "a waiter that is idle again can be enqueued again, also elsewhere", enqueue_again},
        {"waiter.address", "a waiter that was dequeued knows the address of its queue", waiter_address},
        {"must_wait.asks", "must_wait asks the check, and enqueues nothing", must_wait_asks},
        {"dequeue.once", "a waiter is dequeued once, with the result of that dequeue, and not delivered", dequeue_once},
        {"dequeue.others_stay", "no other waiter moves when one is dequeued", dequeue_others_stay},
        {"dequeue.idle", "dequeue returns false for an idle waiter, and does not touch it", dequeue_idle},
        {"notify.fifo", "waiters are notified in the order in which they were enqueued", notify_fifo},
        {"notify.count", "notify wakes up to `count` waiters, and says how many", notify_count},
        {"notify.own_address", "notify wakes the waiters of its own address", notify_own_address},
        {"notify.result", "a notified waiter is idle; its result is ok, and its token `none`", notify_result},
        {"group.dropped", "members of groups that are over leave the queue, uncounted and undelivered", group_dropped},
        {"group.dequeue", "the owner of a member dequeues it without a claim", group_dequeue},
    };
    return clauses;
}

}  // namespace futon::detail::conformance

#include <futon/detail/end.hpp>
