// SPDX-License-Identifier: MIT
#pragma once

#include <futon/futon.hpp>

/// Tests that run on the main thread of a page, or of Node, one after the other: each is a coroutine, for nothing may block.
namespace futon::test {

struct WebTest {
    WebTest(const char* test_name, Promise<void> (*test)()) noexcept;

    const char* name;
    Promise<void> (*run)();
    WebTest* next = nullptr;
};

/// The main thread's loop.
EventLoop& web_loop();

/// The test that is running fails, and goes on, where it does not hold.
void expect(bool holds, const char* what);

/// Settles in a task of the engine that is made by it now: after what is under way already.
Promise<void> next_task();

/// The errors that the engine was told that nothing catches, in the running test; clears them.
int take_reported_errors();

}  // namespace futon::test

#define FUTON_WEB_TEST(name)                                          \
    static futon::Promise<void> run_##name();                         \
    static const futon::test::WebTest test_##name(#name, run_##name); \
    static futon::Promise<void> run_##name()
