// SPDX-License-Identifier: MIT
#include "plugin.hpp"

#include <cstdio>
#include <futon/core.hpp>
#include <stdexcept>

namespace {

int failures = 0;

void check(bool holds, const char* claim) {
    if (holds) return;
    std::printf("not so: %s\n", claim);
    ++failures;
}

/// Overrides classes of the library: what the library calls is this program's.
struct Counter final : futon::core::AsyncWaiter {
    using AsyncWaiter::AsyncWaiter;
    void on_complete(futon::WaitResult) noexcept override { ++completions; }
    int completions = 0;
};

struct Names final : futon::core::QueueVisitor {
    void visit(const void*, const futon::core::Waiter& waiter) noexcept override {
        ++waiters;
        counters += dynamic_cast<const Counter*>(&waiter) != nullptr;
    }
    int waiters = 0;
    int counters = 0;
};

struct Takes final : futon::core::WakeVisitor {
    Decision decide(const futon::core::Waiter&) noexcept override { return Decision::take; }
    futon::core::WakeToken take(const futon::core::Waiter&) noexcept override { return futon::core::WakeToken::none; }
};

void waiters_of_the_program_are_the_librarys(futon::EventLoop& loop) {
    std::atomic<int> word{0};
    Counter counter(loop);
    check(counter.enqueue(futon::Word<int>(word).equals(0)), "a waiter of the program is enqueued");
    Names names;
    futon::core::process_table().visit(&word, names);
    check(names.waiters == 1 && names.counters == 1, "the library shows the waiter, and its type is found");
    Takes takes;
    check(futon::core::process_table().wake_while(&word, takes) == 1, "a visitor of the program takes it");
    loop.poll();
    check(counter.completions == 1, "its completion is the program's");
}

void exceptions_cross(futon::EventLoop& loop) {
    std::atomic<int> word{0};
    bool was_caught = false;
    try {
        wait_in_plugin(word);
    } catch (const futon::BlockingForbidden&) {
        was_caught = true;
    }
    check(was_caught, "what the library throws through the plugin is caught by its type");

    was_caught = false;
    auto promise = promise_of_plugin(word);
    check(notify_in_plugin(word) == 1, "the plugin wakes its own coroutine, on another thread");
    try {
        loop.run_until(std::move(promise));
    } catch (const futon::BrokenPromise&) {
        was_caught = true;
    }
    check(was_caught, "what the plugin throws is caught by its type");
}

}  // namespace

int main() {
    futon::EventLoop loop;
    check(agent_in_plugin() == &futon::Agent::current(), "program and plugin see one agent of a thread");
    check(is_event_loop(loop), "the plugin finds the loop's type");

    std::atomic<int> word{0};
    auto answer = futon::wait_async(word, 0);
    check(notify_in_plugin(word) == 1, "the plugin wakes what waits in the program");
    check(loop.run_until(std::move(answer).promise()) == futon::WaitResult::ok, "and the promise settles");

    futon::AsyncLock lock;
    check(loop.run_until(lock.execute_locked([] { return 7; })) == 7, "a function runs with the lock");
    waiters_of_the_program_are_the_librarys(loop);
    exceptions_cross(loop);
    return failures == 0 ? 0 : 1;
}
