// SPDX-License-Identifier: MIT
#include <cstddef>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>
#include <variant>

#include <futon/futon.hpp>

#include "explore.hpp"

namespace {

using namespace std::chrono_literals;
using futon::AsyncLock;
using futon::waiting;
using futon::WaitResult;
using futon::explorer::check;
using futon::explorer::spawn;
using futon::test::expect_holds;

/// Two words, and what their notifies and waits came to.
struct TwoWords {
    int a = 0;
    int b = 0;
    std::size_t notified = 0;
    std::size_t ok = 0;

    futon::Word<int> word_a() { return a; }
    futon::Word<int> word_b() { return b; }

    void count(WaitResult result) {
        if (result == WaitResult::ok) ++ok;
    }
    template <class Chosen>
    void count_chosen(const Chosen& chosen) {
        std::visit([this](const WaitResult& result) { count(result); }, chosen);
    }
    void change_and_notify_all() {
        word_a().store(1);
        notified += futon::notify(word_a());
        word_b().store(1);
        notified += futon::notify(word_b());
    }
    void check_all_accounted() {
        check(notified == ok, "[claim] the sum of notify's results is the number of ok");
        check(futon::core::process_table().count(&a) == 0, "no waiter is left in the first queue");
        check(futon::core::process_table().count(&b) == 0, "no waiter is left in the second queue");
    }
};

/// Wakes waiters one by one until there is none.
void notify_each(TwoWords& words, futon::Word<int> word) {
    std::size_t woken = 0;
    do {
        woken = futon::notify(word, 1);
        words.notified += woken;
    } while (woken != 0);
}

TEST(ModelSelect, ABlockedSelectEndsOnceWhateverIsNotified) {
    expect_holds("a select of two words, two notifiers", {}, [] {
        TwoWords words;
        spawn("select",
              [&] { words.count_chosen(futon::select(waiting(words.word_a(), 0), waiting(words.word_b(), 0))); });
        spawn("notifier", [&] { words.notified += futon::notify(words.word_a(), 1); });
        spawn("changer", [&] { words.change_and_notify_all(); });
        futon::explorer::join();
        words.check_all_accounted();
    });
}

TEST(ModelSelect, AFinishedSelectSwallowsNoNotify) {
    expect_holds("a select of two words, a waiter behind it", {.preemptions = 4}, [] {
        TwoWords words;
        spawn("select",
              [&] { words.count_chosen(futon::select(waiting(words.word_a(), 0), waiting(words.word_b(), 0))); });
        spawn("waiter", [&] { words.count(futon::wait(words.word_a(), 0)); });
        spawn("notifier of b", [&] {
            words.word_b().store(1);
            words.notified += futon::notify(words.word_b(), 1);
        });
        spawn("notifier of a", [&] {
            words.word_a().store(1);
            notify_each(words, words.word_a());  // no waiter sleeps behind a member that is over
        });
        futon::explorer::join();
        words.check_all_accounted();
    });
}

void two_selects(int preemptions, bool is_async) {
    expect_holds(
        is_async ? "two selects of loops, a stop, a deadline, notifiers" : "two selects, a stop, a deadline, notifiers",
        {.preemptions = preemptions}, [is_async] {
            TwoWords words;
            std::stop_source source;
            auto blocked = [&](auto limit) {
                words.count_chosen(
                    futon::select(waiting(words.word_a(), 0), waiting(words.word_b(), 0), std::move(limit)));
            };
            auto awaited = [&](auto limit) {
                futon::EventLoop loop;
                auto selects = [&]() -> futon::Promise<void> {
                    const auto chosen = co_await futon::select_async(waiting(words.word_b(), 0),
                                                                     waiting(words.word_a(), 0), std::move(limit));
                    words.count_chosen(chosen);
                };
                const auto selected = selects();
                loop.run();
                check(selected.is_settled(), "a select ends");
            };
            spawn("stopped", [&] { blocked(futon::stop_requested(source.get_token())); });
            spawn("timed", [&] {
                if (is_async) {
                    awaited(futon::timeout(1ms));
                } else {
                    blocked(futon::timeout(1ms));
                }
            });
            spawn("stopper", [&] { source.request_stop(); });
            spawn("notifier", [&] {
                words.notified += futon::notify(words.word_a(), 1);
                words.notified += futon::notify(words.word_b(), 1);
            });
            futon::explorer::join();
            words.check_all_accounted();
        });
}

TEST(ModelSelect, TwoBlockedSelectsShareTwoWordsWithAStopAndADeadline) {
    two_selects(3, false);
}

TEST(ModelSelect, ABlockedAndAnAwaitedSelectShareTwoWordsWithAStopAndADeadline) {
    two_selects(2, true);
}

TEST(ModelSelect, OneOfTwoOperationsThatAreDoneAtOnceIsGivenBack) {
    expect_holds("a select of a lock and a word, the owner, a notifier", {.preemptions = 4, .clock_leaps = 1}, [] {
        TwoWords words;
        AsyncLock lock;
        lock.lock();
        bool is_locked = false;
        spawn("select", [&] {
            auto chosen = futon::select(waiting(words.word_a(), 0), lock.locking());
            if (auto* guard = std::get_if<1>(&chosen)) {
                check(guard->owns_lock(), "the chosen lock is owned");
                is_locked = true;
            } else {
                words.count(std::get<0>(chosen));
            }
        });
        spawn("owner", [&] { lock.unlock(); });
        spawn("notifier", [&] {
            words.word_a().store(1);
            words.notified += futon::notify(words.word_a(), 1);
        });
        futon::explorer::join();
        words.check_all_accounted();
        check(lock.try_lock(), "the lock is free in the end, chosen or given back");
    });
}

TEST(ModelSelect, ALockThatWasBargedIsTriedAgainAndTheOtherQueueKeepsItsWaiter) {
    expect_holds("a select of a lock and a word, two threads that lock", {.preemptions = 3, .clock_leaps = 1}, [] {
        TwoWords words;
        AsyncLock lock;
        int inside = 0;
        auto enter = [&] {
            check(inside++ == 0, "one at a time");
            futon::explorer::point("inside", &lock);
            --inside;
        };
        lock.lock();
        spawn("select", [&] {
            auto chosen = futon::select(lock.locking(), waiting(words.word_a(), 0));
            if (std::holds_alternative<AsyncLock::Guard>(chosen)) {
                enter();
            } else {
                words.count(std::get<1>(chosen));
            }
        });
        spawn("owner", [&] { lock.unlock(); });
        spawn("barger", [&] {
            const std::scoped_lock hold(lock);
            enter();
        });
        spawn("notifier", [&] { words.notified += futon::notify(words.word_a(), 1); });
        futon::explorer::join();
        words.check_all_accounted();
        check(lock.try_lock(), "the lock is free in the end");
        check(futon::core::process_table().count(&lock) == 0, "no waiter is left in the lock's queue");
    });
}

TEST(ModelSelect, ALoopThatEndsPassesOnWhatItsSelectWasGiven) {
    expect_holds("a loop that ends with a select, a thread, a notifier", {.preemptions = 3, .clock_leaps = 1}, [] {
        TwoWords words;
        AsyncLock lock;
        lock.lock();
        spawn("loop", [&] {
            futon::EventLoop loop;
            auto selects = [&]() -> futon::Promise<void> {
                const auto chosen = co_await futon::select_async(lock.locking(), waiting(words.word_a(), 0));
                if (chosen.index() == 1) words.count(std::get<1>(chosen));
            };
            const auto selected = selects();
            loop.poll();
        });
        spawn("owner", [&] { lock.unlock(); });
        spawn("thread", [&] { const std::scoped_lock hold(lock); });
        futon::explorer::join();
        check(lock.try_lock(), "the lock is free in the end");
        check(futon::core::process_table().count(&lock) == 0, "no waiter is left in the lock's queue");
        check(futon::core::process_table().count(&words.a) == 0, "no waiter is left in the word's queue");
    });
}

TEST(ModelSelect, WhatCameBeforeTheNotifyIsSeenOnAWeakMemory) {
    expect_holds("a select of two words, weak", {.preemptions = 3, .stale_loads = 2}, [] {
        TwoWords words;
        futon::explorer::Shared message;
        spawn("select", [&] {
            words.count_chosen(futon::select(waiting(words.word_a(), 0), waiting(words.word_b(), 0)));
            check(message.load() == 7, "what came before the notify is seen");
        });
        spawn("notifier", [&] {
            message.store(7);
            words.change_and_notify_all();
        });
        futon::explorer::join();
        words.check_all_accounted();
    });
}

}  // namespace
