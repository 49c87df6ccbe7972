// SPDX-License-Identifier: MIT
#include <futon/version.hpp>

#include "support/gtest.hpp"

#if FUTON_VERSION < 100
#error "FUTON_VERSION does not compare as a number"
#endif

namespace {

TEST(Version, TheNumberIsMadeOfItsParts) {
    EXPECT_EQ(FUTON_VERSION / 10000, FUTON_VERSION_MAJOR);
    EXPECT_EQ(FUTON_VERSION / 100 % 100, FUTON_VERSION_MINOR);
    EXPECT_EQ(FUTON_VERSION % 100, FUTON_VERSION_PATCH);
}

}  // namespace
