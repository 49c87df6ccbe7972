// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>

/// Where a test cannot start another process, what would end the program is not run, and its test says so.
#if !GTEST_HAS_DEATH_TEST
#define FUTON_SKIP_DEATH_TEST(statement)                            \
    GTEST_AMBIGUOUS_ELSE_BLOCKER_                                   \
    if (true)                                                       \
        GTEST_SKIP() << "no process can be started here to end it"; \
    else                                                            \
        statement
#define EXPECT_DEATH(statement, matcher) FUTON_SKIP_DEATH_TEST(statement)
#define EXPECT_EXIT(statement, predicate, matcher) FUTON_SKIP_DEATH_TEST(statement)
#endif
