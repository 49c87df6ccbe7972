// SPDX-License-Identifier: MIT

#include <futon/wait_result.hpp>

#include "support/gtest.hpp"

namespace {

using futon::WaitResult;

static_assert(sizeof(WaitResult) == 1);

TEST(WaitResult, StringsAreThoseOfTheSpecification) {
    EXPECT_EQ(to_string(WaitResult::ok), "ok");
    EXPECT_EQ(to_string(WaitResult::not_equal), "not-equal");
    EXPECT_EQ(to_string(WaitResult::timed_out), "timed-out");
}

TEST(WaitResult, StringOfCancelledIsCancelled) {
    EXPECT_EQ(to_string(WaitResult::cancelled), "cancelled");
}

}  // namespace
