// SPDX-License-Identifier: MIT
// Looking for what another thread holds, before going to sleep for it.
#include <cstdlib>

#include <sched.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "platform/spin.hpp"
#include "support/platform.hpp"

namespace {

using futon::platform::spin_until;
using futon::test::spins_before_sleeping;

cpu_set_t allowed_processors() {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    sched_getaffinity(0, sizeof allowed, &allowed);
    return allowed;
}

bool pays() {
    const cpu_set_t allowed = allowed_processors();
    return spins_before_sleeping && CPU_COUNT(&allowed) > 1;
}

[[noreturn]] void run_again_on_one_processor(const char* filter) {
    const cpu_set_t allowed = allowed_processors();
    int first = 0;
    while (!CPU_ISSET(first, &allowed)) ++first;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    if (sched_setaffinity(0, sizeof one, &one) == 0) execl("/proc/self/exe", "spin_test", filter, nullptr);
    std::_Exit(EXIT_FAILURE);
}

TEST(Spin, EndsWithTheLookThatSucceeds) {
    int looks = 0;

    const bool succeeded = spin_until([&] { return ++looks == 1; });

    EXPECT_EQ(succeeded, pays());
    EXPECT_EQ(looks, pays() ? 1 : 0);
}

TEST(Spin, SaysThatItWasInVain) {
    int looks = 0;

    EXPECT_FALSE(spin_until([&] {
        ++looks;
        return false;
    }));

    EXPECT_EQ(looks > 0, pays());
}

TEST(SpinDeathTest, NeverLooksWithASingleProcessor) {
    EXPECT_EXIT(run_again_on_one_processor("--gtest_filter=Spin.*"), testing::ExitedWithCode(0), "");
}

}  // namespace
