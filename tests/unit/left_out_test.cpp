// SPDX-License-Identifier: MIT
// What the tests of Windows leave out, each with its reason, so that a run says so.
#ifdef FUTON_PLATFORM_IS_windows

#include "support/gtest.hpp"

namespace {

TEST(LeftOutOnWindows, ChildrenOfAFork) {
    GTEST_SKIP() << "Windows has no fork: fork_test, fork_loop_test, fork_loop_end_test, fork_stress_test";
}

TEST(LeftOutOnWindows, SignalsToAThread) {
    GTEST_SKIP()
        << "Windows has no signals between threads: event_loop_signal_test, suspend_test, parts of platform_test";
}

TEST(LeftOutOnWindows, CancelledThreads) {
    GTEST_SKIP() << "Windows ends a thread by force alone, which keeps what the thread holds: parts of exit_test";
}

TEST(LeftOutOnWindows, BellsThatRingForNothing) {
    GTEST_SKIP() << "no other process has the event that is a loop's token: stray_bell_test";
}

TEST(LeftOutOnWindows, AProgramBoundToOneProcessor) {
    GTEST_SKIP() << "Wine does not bind a new program to a processor: SpinDeathTest";
}

TEST(LeftOutOnWindows, CommandsForGdb) {
    GTEST_SKIP() << "gdb does not debug what runs under Wine: tests/gdb";
}

TEST(LeftOutOnWindows, WhatAMillionWaitersAllocate) {
    GTEST_SKIP() << "the C library does not say how much is allocated: million_test";
}

}  // namespace

#endif
