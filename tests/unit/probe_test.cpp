// SPDX-License-Identifier: MIT
#include <type_traits>

#include <futon/core/probe.hpp>
#include <futon/core/queue/waiter.hpp>

#include "support/gtest.hpp"

namespace {

using futon::core::Waiter;

TEST(Probe, CostsNothingWhereItIsNotReplaced) {
    if constexpr (futon::core::probe::is_enabled) GTEST_SKIP() << "this build has a probe of its own";

    static_assert(std::is_empty_v<futon::core::probe::Stamp> || futon::core::probe::is_enabled);
    static_assert(sizeof(Waiter) == 48 || sizeof(void*) != 8 || futon::core::probe::is_enabled);
}

}  // namespace
