// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <deque>
#include <span>
#include <thread>

#include <futon/detail/conformance/trial.hpp>

// What holds when threads race.
namespace futon::detail::conformance {

/// While a check is asked, another thread changes the word and notifies. The check has read the word before, so that notify
/// must find the waiter: a table whose check and enqueueing are one step lets it wait until then.
class Intruder {
public:
    explicit Intruder(Trial& t, Key& key) : t_(t) {
        key.ask = [this] { return ask(); };
        t.start([this, &key] {
            t_.until([this] { return has_read_.load(); });
            woken_ = t_.queues.notify(&key, 1);
            has_notified_ = true;
        });
    }
    ~Intruder() {
        has_read_ = true;
        t_.join();
    }
    Intruder(const Intruder&) = delete;
    Intruder& operator=(const Intruder&) = delete;

    std::size_t woken() {
        t_.join();
        return woken_;
    }

private:
    bool ask() {
        has_read_ = true;
        t_.until([this] { return has_notified_.load(); }, t_.options.head_start);
        return true;
    }

    Trial& t_;
    std::atomic<bool> has_read_{false};
    std::atomic<bool> has_notified_{false};
    std::size_t woken_ = 0;
};

inline void enqueue_one_step(Trial& t) {
    Node& node = t.add();
    Intruder intruder(t, t.word);
    t.queue(node, t.word);
    t.expect_number("a notify after the check had read the word woke", intruder.woken(), 1);
}

inline void check_exclusive(Trial& t) {
    std::atomic<bool> is_inside{false};
    t.word.ask = [&] {
        t.expect(!is_inside.exchange(true), "two checks of one address were asked at once");
        std::this_thread::yield();
        is_inside = false;
        return true;
    };
    t.may_be_delivered_again = true;
    for (int thread = 0; thread < t.options.threads; ++thread)
        t.start([&t, thread, &node = t.add()] {
            for (int round = 0; round < t.options.rounds && !t.is_broken(); ++round) {
                if (thread % 2 == 0) {
                    t.queues.must_wait(t.word.check());
                } else {
                    t.queue(node, t.word);
                    t.queues.dequeue(node, WaitResult::cancelled);
                }
            }
        });
    t.join();
}

/// Another thread must get through the queue's lock while the waiter is being delivered.
inline void deliver_without_lock(Trial& t) {
    std::atomic<bool> got_through{false};
    Node& node = t.queue_new(t.word);
    node.on_delivery = [&] {
        t.start([&] {
            t.queues.must_wait(t.word.check());
            got_through = true;
        });
        t.expect(t.until([&] { return got_through.load(); }), "the lock of the queue was held in `deliver`");
    };
    t.queues.notify(&t.word, 1);
    t.join();
}

inline void dequeue_race(Trial& t) {
    std::atomic<bool> is_over{false};
    std::atomic<std::size_t> notified{0};
    t.may_be_delivered_again = true;
    Node& node = t.add();
    t.start([&] {
        while (!is_over) notified += t.queues.notify(&t.word, core::everyone);
    });
    std::size_t missed = 0;
    for (int round = 0; round < t.options.rounds && !t.is_broken(); ++round) {
        const int before = node.deliveries;
        t.queue(node, t.word);
        if (round % 2 == 0) std::this_thread::yield();
        if (t.queues.dequeue(node, WaitResult::cancelled)) {
            t.expect(node.result() == WaitResult::cancelled, "a dequeued waiter had another result");
            continue;
        }
        ++missed;
        t.expect(t.until([&] { return node.deliveries == before + 1; }),
                 "neither a notify nor the dequeue took the waiter");
    }
    is_over = true;
    t.join();
    t.expect_number("notifies counted", notified, missed);
    t.expect_number("deliveries were", static_cast<std::size_t>(node.deliveries), missed);
}

/// By turns one thread changes a word and wakes, and another waits for that: in each second round it is queued before.
template <class Wake>
void bring_by_turns(Trial& t, Wake wake) {
    struct Turns {
        std::atomic<int> brought{0};
        std::atomic<int> taken{0};
        std::atomic<int> waits_for{-1};  // the taker's check has said that it must wait for this one
    };
    std::deque<Turns> all;
    t.may_be_delivered_again = true;
    for (int pair = 0; pair < std::max(1, t.options.threads / 2); ++pair) {
        Turns& turns = all.emplace_back();
        Key& key = t.add_key();
        key.ask = [&turns] {
            if (turns.brought != turns.taken) return false;
            turns.waits_for = turns.taken.load();
            return true;
        };
        t.start([&t, &turns, &key, &node = t.add()] {
            while (turns.taken < t.options.rounds && !t.is_broken()) {
                const int before = node.deliveries;
                const EnqueueResult result = t.queues.enqueue(node, key.check());
                t.expect(result != EnqueueResult::no_memory, "the table is full");
                if (result == EnqueueResult::not_needed) {
                    ++turns.taken;
                } else {
                    t.expect(t.until([&] { return node.deliveries == before + 1; }), "a waiter was not woken");
                }
            }
        });
        t.start([&t, &turns, &key, wake] {
            for (int round = 0; round < t.options.rounds && !t.is_broken(); ++round) {
                t.until([&] { return turns.taken == round && (round % 2 == 0 || turns.waits_for == round); });
                ++turns.brought;
                wake(key);
            }
        });
    }
    t.join();
}

inline void no_lost_wake_up(Trial& t) {
    bring_by_turns(t, [&t](Key& key) { t.queues.notify(&key, 1); });
}

/// Threads take tokens, others bring them: each bringer adds one and wakes one.
inline void notify_race(Trial& t) {
    std::atomic<int> tokens{0};
    const auto try_take = [&] {
        int seen = tokens;
        while (seen > 0 && !tokens.compare_exchange_weak(seen, seen - 1)) {
        }
        return seen > 0;
    };
    t.word.ask = [&] { return !try_take(); };
    t.may_be_delivered_again = true;
    const int pairs = std::max(1, t.options.threads / 2);
    for (int pair = 0; pair < pairs; ++pair) {
        t.start([&, &node = t.add()] {
            for (int taken = 0; taken < t.options.rounds && !t.is_broken();) {
                const int before = node.deliveries;
                const EnqueueResult result = t.queues.enqueue(node, t.word.check());
                t.expect(result != EnqueueResult::no_memory, "the table is full");
                if (result == EnqueueResult::queued) {
                    t.expect(t.until([&] { return node.deliveries == before + 1; }),
                             "a waiter was not woken though tokens were brought");
                } else {
                    ++taken;
                }
            }
        });
        t.start([&] {
            for (int round = 0; round < t.options.rounds && !t.is_broken(); ++round) {
                ++tokens;
                t.queues.notify(&t.word, 1);
            }
        });
    }
    t.join();
    t.expect_number("tokens left were", static_cast<std::size_t>(tokens), 0);
}

inline std::span<const Clause> race_clauses() {
    static constexpr Clause clauses[] = {
        {"enqueue.one_step", "the check and the enqueueing are one step: no notify falls between", enqueue_one_step},
        {"check.exclusive", "checks of one address are asked one at a time", check_exclusive},
        {"deliver.no_lock", "waiters are delivered under no lock", deliver_without_lock},
        {"dequeue.race", "exactly one of notify and dequeue takes a waiter", dequeue_race},
        {"notify.no_lost_wake_up", "a notify that follows a change reaches a waiter whose check has not seen it",
         no_lost_wake_up},
        {"notify.race", "where many wait for one word and many notify, all get what was brought", notify_race},
    };
    return clauses;
}

}  // namespace futon::detail::conformance

#include <futon/detail/end.hpp>
