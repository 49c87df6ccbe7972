// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <futon/detail/conformance/trial.hpp>

// What a visitor decides.
namespace futon::detail::conformance {

/// Decides by the number of a waiter, and notes what it is asked.
class Chooser final : public core::WakeVisitor {
public:
    using Decide = std::function<Decision(int number)>;
    explicit Chooser(Decide decide) : decide_(std::move(decide)) { decided.reserve(512); }

    Decision decide(const core::Waiter& waiter) noexcept override {
        if (decided.empty() && times_finished == 0) first_mark = mark;
        const int number = static_cast<const Node&>(waiter).number;
        if (decided.size() < decided.capacity()) decided.push_back(number);
        return decide_(number);
    }
    WakeToken take(const core::Waiter& waiter) noexcept override {
        ++taken;
        return WakeToken{static_cast<std::uintptr_t>(static_cast<const Node&>(waiter).number) + 100};
    }
    void finish(bool queue_is_empty) noexcept override {
        if (decided.empty()) first_mark = mark;
        ++times_finished;
        was_empty = queue_is_empty;
        if (set_mark) mark = *set_mark;
        if (on_finish) on_finish();
    }
    bool may_pause() noexcept override {
        ++times_asked_to_pause;
        taken_at_pause = taken;
        return pauses;
    }

    std::vector<int> decided;
    std::size_t taken = 0;
    int times_finished = 0;
    bool was_empty = false;
    int times_asked_to_pause = 0;
    std::size_t taken_at_pause = 0;
    std::uint16_t first_mark = 0;
    const std::uint16_t* set_mark = nullptr;
    std::function<void()> on_finish{};
    bool pauses = false;

private:
    Decide decide_;
};

inline Chooser take_all() {
    return Chooser([](int) { return core::WakeVisitor::Decision::take; });
}

inline void wake_while_decisions(Trial& t) {
    using Decision = core::WakeVisitor::Decision;
    for (int i = 0; i < 6; ++i) t.queue_new(t.word);
    Chooser chooser([](int number) {
        return number == 4 ? Decision::stop : number % 2 == 0 ? Decision::skip : Decision::take;
    });
    t.expect_number("wake_while woke", t.table().wake_while(&t.word, chooser), 2);
    t.expect(chooser.decided == std::vector{0, 1, 2, 3, 4}, "shown were " + Trial::list(chooser.decided));
    t.expect_delivered({1, 3});
    t.table().notify(&t.word, core::everyone);
    t.expect_delivered({1, 3, 0, 2, 4, 5});
}

inline void wake_while_tokens(Trial& t) {
    Node& first = t.queue_new(t.word);
    Node& second = t.queue_new(t.word);
    Chooser chooser = take_all();
    t.table().wake_while(&t.word, chooser);
    t.expect_delivered({0, 1});
    t.expect(first.token() == WakeToken{100} && second.token() == WakeToken{101}, "a token was not what `take` gave");
    t.expect(first.result() == WaitResult::ok && second.result() == WaitResult::ok, "a result was not ok");
    t.expect(!t.table().is_queued(first) && !second.is_waiting(), "a woken waiter was still queued");
}

inline void wake_while_max_skips(Trial& t) {
    for (int i = 0; i < 8; ++i) t.queue_new(t.word);
    Chooser chooser([](int number) {
        return number == 1 || number == 6 ? core::WakeVisitor::Decision::take : core::WakeVisitor::Decision::skip;
    });
    t.expect_number("with 3 skips wake_while woke", t.table().wake_while(&t.word, chooser, 3), 1);
    t.expect_delivered({1});
    t.expect(chooser.decided == std::vector{0, 1, 2, 3}, "shown were " + Trial::list(chooser.decided));
}

inline void wake_while_finish(Trial& t) {
    Chooser of_none = take_all();
    t.expect_number("of no waiter wake_while woke", t.table().wake_while(&t.word, of_none), 0);
    t.expect(of_none.times_finished == 1 && of_none.was_empty,
             "of no waiter `finish` was not told that the queue is empty");
    t.queue_new(t.word);
    t.queue_new(t.word);
    Chooser of_one(
        [](int number) { return number == 0 ? core::WakeVisitor::Decision::take : core::WakeVisitor::Decision::stop; });
    t.table().wake_while(&t.word, of_one);
    t.expect(of_one.times_finished == 1 && !of_one.was_empty, "`finish` was not told once that a waiter is left");
    Chooser of_rest = take_all();
    t.table().wake_while(&t.word, of_rest);
    t.expect(of_rest.times_finished == 1 && of_rest.was_empty, "`finish` was not told once that no waiter is left");
}

inline void wake_while_finish_first(Trial& t) {
    t.queue_new(t.word);
    t.queue_new(t.word);
    Chooser chooser = take_all();
    bool was_first = false;
    chooser.on_finish = [&] { was_first = t.delivered().empty(); };
    t.table().wake_while(&t.word, chooser);
    t.expect(was_first, "a waiter was delivered before it");
}

/// Another thread that asks for the queue's lock must not get it before `finish` has returned.
inline void wake_while_finish_locked(Trial& t) {
    std::atomic<bool> is_finishing{false};
    std::atomic<bool> got_through{false};
    bool was_in_time = false;
    t.queue_new(t.word);
    t.start([&] {
        t.until([&] { return is_finishing.load(); });
        t.queues.must_wait(t.word.check());
        got_through = true;
    });
    Chooser chooser = take_all();
    chooser.on_finish = [&] {
        is_finishing = true;
        was_in_time = t.until([&] { return got_through.load(); }, t.options.head_start);
    };
    t.table().wake_while(&t.word, chooser);
    is_finishing = true;
    t.join();
    t.expect(!was_in_time, "a check of the same address was asked meanwhile");
}

inline void wake_while_mark(Trial& t) {
    constexpr std::uint16_t mark = 0xbeef;
    const auto stop = [](int) { return core::WakeVisitor::Decision::stop; };
    t.queue_new(t.word);
    t.queue_new(t.word);
    t.queue_new(t.other);
    Chooser sets(stop);
    sets.mark = 7;
    sets.set_mark = &mark;
    t.table().wake_while(&t.word, sets);
    t.expect_number("of a new queue it was", sets.first_mark, 0);
    t.table().notify(&t.word, 1);  // the queue goes on with another first waiter
    t.queue(t.add(), t.word, Place::head);
    Chooser reads(stop);
    t.table().wake_while(&t.word, reads);
    t.expect_number("of the same queue it was", reads.first_mark, mark);
    Chooser elsewhere(stop);
    t.table().wake_while(&t.other, elsewhere);
    t.expect_number("of another queue it was", elsewhere.first_mark, 0);
    t.table().notify(&t.word, core::everyone);
    t.queue_new(t.word);
    Chooser anew(stop);
    t.table().wake_while(&t.word, anew);
    t.expect_number("of the next queue at the address it was", anew.first_mark, 0);
}

inline void wake_while_groups(Trial& t) {
    t.group.is_over = true;
    Node& over = t.add(t.group);
    t.queue(over, t.word);
    t.queue_new(t.word);
    Chooser chooser = take_all();
    t.expect_number("wake_while woke", t.table().wake_while(&t.word, chooser), 1);
    t.expect_number("`take` was called so often:", chooser.taken, 1);
    t.expect_delivered({1});
    t.expect(!t.table().is_queued(over), "a member that is over was still queued");
}

inline void wake_while_pause(Trial& t) {
    constexpr std::size_t very_many = 300;
    for (const bool pauses : {false, true}) {
        std::vector<int> expected = t.delivered();
        for (std::size_t i = 0; i < very_many; ++i) expected.push_back(t.queue_new(t.word).number);
        Chooser chooser = take_all();
        chooser.pauses = pauses;
        bool was_first = false;
        chooser.on_finish = [&] { was_first = t.delivered().size() == expected.size() - very_many; };
        t.expect_number("of 300 wake_while woke", t.table().wake_while(&t.word, chooser), very_many);
        t.expect(chooser.times_finished == 1 && chooser.was_empty, "`finish` was not called once, with an empty queue");
        t.expect(was_first, "a waiter was delivered in a pause");
        t.expect(chooser.times_asked_to_pause == 0 || chooser.taken_at_pause < very_many,
                 "`may_pause` was called when no other was queued");
        t.expect_delivered(expected);
    }
}

inline std::span<const Clause> wake_while_clauses() {
    static constexpr Clause clauses[] = {
        {"wake_while.decisions", "waiters are taken, skipped and left as the visitor says, from the head on",
         wake_while_decisions},
        {"wake_while.tokens", "a taken waiter is idle, and has the token that `take` returned", wake_while_tokens},
        {"wake_while.max_skips", "wake_while ends after so many skips", wake_while_max_skips},
        {"wake_while.finish", "`finish` is the last call, with the queue as it will be", wake_while_finish},
        {"wake_while.finish_first", "`finish` is called before any waiter is delivered", wake_while_finish_first},
        {"wake_while.finish_locked", "`finish` is called under the lock of the queue", wake_while_finish_locked},
        {"wake_while.mark", "a queue keeps its mark, and a new one has none", wake_while_mark},
        {"wake_while.groups", "members of groups that are over are dropped, untaken and uncounted", wake_while_groups},
        {"wake_while.pause",
         "where very many are taken, in parts or not, none is missed and none delivered before the end",
         wake_while_pause},
    };
    return clauses;
}

}  // namespace futon::detail::conformance

#include <futon/detail/end.hpp>
