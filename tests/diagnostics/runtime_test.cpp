// SPDX-License-Identifier: MIT
// What runtimes of other languages tell the diagnostics: bindings/node.
#include "diagnostics/runtime.hpp"

#include <cstddef>
#include <latch>
#include <new>
#include <sstream>
#include <string>
#include <thread>

#include <futon/diagnostics.hpp>
#include <futon/futon.hpp>

#include "reports.hpp"

namespace {

using futon::AsyncLock;
using futon::EventLoop;
using futon::Promise;
using futon::diagnostics::DeadlockFound;
using futon::diagnostics::What;
using futon::diagnostics::detail::look_from_loop;
using futon::diagnostics::detail::memory_ended;
using futon::diagnostics::detail::place_named;
using futon::diagnostics::detail::StillLoop;
using futon::diagnostics::detail::this_call;

using Runtimes = futon::test::Reports;

class Loop final : public StillLoop {
public:
    explicit Loop(bool is_still) noexcept : is_still_(is_still) {}
    bool is_still() const noexcept override { return is_still_; }

private:
    bool is_still_;
};

/// Waits for what the thread holds itself, by a promise that nothing limits. A runtime's loop says so by an attempt.
template <class Function>
void while_a_promise_waits(AsyncLock& lock, Function function) {
    EventLoop loop;
    lock.lock();
    Promise<void> promise = [&] {
        const futon::core::probe::Attempt attempt(nullptr, "a promise", false);
        return lock.execute_locked([] {});
    }();
    function();
    lock.unlock();
    loop.run_until(promise);
}

std::string dumped() {
    std::ostringstream text;
    futon::diagnostics::dump(text);
    return text.str();
}

TEST_F(Runtimes, PromisesAreInADeadlockOnlyIfTheirLoopIsStill) {
    AsyncLock lock;
    while_a_promise_waits(lock, [&] {
        look_from_loop(Loop(false));
        EXPECT_EQ(count(What::deadlock), 0U) << text();
        look_from_loop(Loop(true));
        look_from_loop(Loop(true));
    });

    EXPECT_EQ(count(What::deadlock), 1U) << text();
    EXPECT_NE(text().find("a loop's promises wait for what its own callbacks hold"), std::string::npos) << text();
}

TEST_F(Runtimes, PromisesAreInNoneWhileAnotherLoopGoesOn) {
    AsyncLock lock;
    while_a_promise_waits(lock, [&] {
        std::latch has_begun(1), may_end(1);
        std::jthread other([&] {
            futon::diagnostics::detail::runtime_begins("other");
            has_begun.count_down();
            may_end.wait();
            futon::diagnostics::detail::runtime_ends();
        });
        has_begun.wait();
        look_from_loop(Loop(true));
        EXPECT_EQ(count(What::deadlock), 0U) << text();
        may_end.count_down();
        other.join();
        look_from_loop(Loop(true));
        EXPECT_EQ(count(What::deadlock), 1U) << text();
    });
}

TEST_F(Runtimes, AThreadThatBlocksIsStuckThoughPromisesOfItsLoopWait) {
    AsyncLock lock, other;
    other.lock();
    while_a_promise_waits(lock, [&] { EXPECT_THROW(other.lock(), DeadlockFound); });
    other.unlock();
}

TEST_F(Runtimes, APlaceIsWhatTheyCallIt) {
    AsyncLock lock;
    this_call().place = place_named("work", "program.js:7");
    EXPECT_EQ(place_named("work", "program.js:7"), this_call().place);
    lock.lock();
    this_call().place = nullptr;

    EXPECT_NE(dumped().find("at program.js:7"), std::string::npos) << dumped();
    lock.unlock();
}

TEST_F(Runtimes, WhatPromisesLockTellsOfNoOrder) {
    AsyncLock first, second;
    const auto lock_both = [](AsyncLock& one, AsyncLock& two) {
        one.lock();
        two.lock();
        two.unlock();
        one.unlock();
    };
    this_call().is_promise = true;
    lock_both(first, second);
    this_call().is_promise = false;
    std::jthread([&] { lock_both(second, first); }).join();
    EXPECT_EQ(count(What::order), 0U) << text();

    lock_both(first, second);
    EXPECT_EQ(count(What::order), 1U);
}

TEST_F(Runtimes, WhatWasSeenInMemoryThatHasEndedIsForgotten) {
    alignas(AsyncLock) std::byte memory[2 * sizeof(AsyncLock)] = {};
    const auto make = [&](std::size_t i) -> AsyncLock& { return *new (&memory[i * sizeof(AsyncLock)]) AsyncLock; };
    const auto lock_both = [](AsyncLock& one, AsyncLock& two) {
        one.lock();
        two.lock();
        two.unlock();
        one.unlock();
    };
    futon::name(make(1), "the old one");
    lock_both(make(0), make(1));
    memory_ended(memory, sizeof memory);

    std::jthread([&] { lock_both(make(1), make(0)); }).join();

    EXPECT_EQ(count(What::order), 0U) << text();
    EXPECT_EQ(dumped().find("the old one"), std::string::npos) << dumped();
    memory_ended(memory, sizeof memory);
}

}  // namespace
