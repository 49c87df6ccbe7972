// SPDX-License-Identifier: MIT
#pragma once

#include <new>
#include <optional>
#include <stop_token>
#include <utility>

#include <futon/futon.hpp>

#include "support/failing_allocations.hpp"

// Waits on a loop that may be refused memory, whatever they wait for, and in each way to wait. What is waited for is a subject,
// as those of wait_subjects.hpp.
namespace futon::test {

/// Runs until nothing can happen any more. Returns how many exceptions of refused memory have left from the loop meanwhile.
inline int run_to_the_end(EventLoop& loop) {
    for (int refused = 0;; ++refused)
        if (succeeds([&] { loop.run(); })) return refused;
}

/// How waits have ended.
struct Ends {
    int ok = 0;
    int others = 0;     // by a deadline or a stop
    int abandoned = 0;  // with their loop, or because they were dropped
    int refused = 0;    // memory

    int all() const noexcept { return ok + others + abandoned + refused; }
};

/// Notes once how a wait has ended. One that is destroyed before notes that the wait was abandoned.
class End {
public:
    explicit End(Ends& ends) noexcept : ends_(&ends) {}
    End(End&& other) noexcept : ends_(std::exchange(other.ends_, nullptr)) {}
    End& operator=(End&&) = delete;
    ~End() { note(&Ends::abandoned); }

    void note(WaitResult result) noexcept { note(result == WaitResult::ok ? &Ends::ok : &Ends::others); }
    void refuse() noexcept { note(&Ends::refused); }

private:
    void note(int Ends::*end) noexcept {
        if (ends_ != nullptr) ++(std::exchange(ends_, nullptr)->*end);
    }

    Ends* ends_;
};

/// How an operation of any kind ended.
inline WaitResult how_it_ended(WaitResult result) noexcept {
    return result;
}
template <class Guard>
WaitResult how_it_ended(const Guard& guard) noexcept {
    return guard.result();
}

/// As a wait is begun: one that is not refused notes one end, sooner or later.
template <class Subject>
using BeginWait = void (*)(Subject&, Limits, Ends&);

// The ways to wait. What was waited for, a guard say, is given back at once.

template <class Subject>
Promise<void> await_it(Subject& subject, Limits limits, Ends& ends) {
    End end(ends);
    try {
        end.note(how_it_ended(co_await subject.wait_async(limits)));
    } catch (const std::bad_alloc&) {
        end.refuse();
    }
}

template <class Subject>
Promise<void> select_it(Subject& subject, Limits limits, Ends& ends) {
    End end(ends);
    try {
        const auto chosen =
            co_await select_async(subject.waiting(), timeout(limits.deadline()), stop_requested(limits.stop()));
        end.note(chosen.index() == 0 ? how_it_ended(std::get<0>(chosen)) : WaitResult::cancelled);
    } catch (const std::bad_alloc&) {
        end.refuse();
    }
}

template <class Subject>
Promise<void> await_its_promise(Subject& subject, Limits limits, Ends& ends) {
    End end(ends);
    try {
        end.note(how_it_ended(co_await promise_of(subject.waiting(), limits)));
    } catch (const std::bad_alloc&) {
        end.refuse();
    }
}

template <class Subject>
void call_back_for_it(Subject& subject, Limits limits, Ends& ends) {
    using Result = typename decltype(subject.waiting())::Result;
    const int abandoned = ends.abandoned;
    try {
        call_back(subject.waiting(), limits,
                  [end = End(ends)](Result result) mutable { end.note(how_it_ended(result)); });
    } catch (const std::bad_alloc&) {
        ends.abandoned = abandoned;  // that of the function
        throw;
    }
}

/// Calls `scenario(begin)` with each way to wait, and has each of its allocations refused.
template <class Subject, class F>
void in_each_way(F scenario) {
    using Begin = BeginWait<Subject>;
    constexpr Begin ways[] = {
        [](Subject& subject, Limits limits, Ends& ends) { static_cast<void>(await_it(subject, limits, ends)); },
        [](Subject& subject, Limits limits, Ends& ends) { static_cast<void>(select_it(subject, limits, ends)); },
        [](Subject& subject, Limits limits, Ends& ends) {
            static_cast<void>(await_its_promise(subject, limits, ends));
        },
        [](Subject& subject, Limits limits, Ends& ends) { call_back_for_it(subject, limits, ends); }};
    int number = 0;
    for (const Begin way : ways) {
        SCOPED_TRACE(testing::Message() << "way " << number++);
        refuse_each_allocation([&] { scenario(way); });
    }
}

/// Begins `count` waits. Returns how many were not refused.
template <class Subject>
int begin_some(BeginWait<Subject> begin, int count, Subject& subject, Limits limits, Ends& ends) {
    int begun = 0;
    for (int i = 0; i < count; ++i) begun += succeeds([&] { begin(subject, limits, ends); });
    return begun;
}

}  // namespace futon::test
