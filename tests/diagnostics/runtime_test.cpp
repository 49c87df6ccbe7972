// SPDX-License-Identifier: MIT
// What runtimes of other languages tell the diagnostics: bindings/node.
#include "diagnostics/runtime.hpp"

#include <cstddef>
#include <new>
#include <sstream>
#include <string>
#include <thread>

#include <futon/diagnostics.hpp>
#include <futon/futon.hpp>

#include "reports.hpp"

namespace {

using futon::AsyncLock;
using futon::diagnostics::What;
using futon::diagnostics::detail::memory_ended;
using futon::diagnostics::detail::place_named;
using futon::diagnostics::detail::this_call;

using Runtimes = futon::test::Reports;

std::string dumped() {
    std::ostringstream text;
    futon::diagnostics::dump(text);
    return text.str();
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
