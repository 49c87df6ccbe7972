// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>

#include <futon/futon.hpp>

#include "buried.hpp"
#include "explore.hpp"
#include "support/wait_subjects.hpp"

// Programs for whatever is waited for: `Subject` is one of those in support/wait_subjects.hpp.
namespace futon::test {

/// What the waker did before it let a waiter pass is seen by it, and by a try that succeeds.
template <class Subject>
void expect_shows_what_came_before(const char* name) {
    expect_holds(name, {.preemptions = 3, .stale_loads = 2}, [] {
        Subject subject;
        explorer::Shared message;
        explorer::spawn("waker", [&] {
            message.store(1);
            subject.let_pass(1);
        });
        explorer::spawn("waiter", [&] {
            explorer::check(subject.wait() == WaitResult::ok, "it may pass");
            explorer::check(message.load() == 1, "the message is seen");
        });
        explorer::spawn("poll", [&] {
            if (subject.try_wait()) explorer::check(message.load() == 1, "the message is seen");
        });
        explorer::join();
    });
}

/// Waits, with a deadline first: a waiter that has left may make the waker look into the queue, while a try succeeds already.
template <class Subject>
void wait_twice(Subject& subject) {
    if (subject.wait(std::chrono::microseconds(1)) != WaitResult::ok)
        explorer::check(subject.wait() == WaitResult::ok, "it may pass");
}

/// The waiter destroys what it has waited for while the waker may be about to return: that writes nothing. [last-touch]
template <class Subject>
void expect_may_be_destroyed(const char* name) {
    expect_holds(name, {}, [] {
        Buried<Subject> subject;
        explorer::spawn("waker", [&] { subject->let_pass(1); });
        explorer::spawn("owner", [&] {
            wait_twice(*subject);
            subject.bury();
        });
        explorer::join();
        subject.check_untouched();
    });
}

/// The same, of reads, with memory that is given back: the sanitized build notices.
template <class Subject>
void expect_is_not_read_once_freed(const char* name) {
    expect_holds(name, {.preemptions = 3}, [] {
        auto* subject = new Subject;
        explorer::spawn("waker", [=] { subject->let_pass(1); });
        explorer::spawn("owner", [=] {
            wait_twice(*subject);
            delete subject;
        });
        explorer::join();
    });
}

}  // namespace futon::test
