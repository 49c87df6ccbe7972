// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <new>
#include <utility>

#include "support/gtest.hpp"

// Scenarios of which each allocation fails in turn. A program that includes this replaces operator new by that of
// allocations/failing_allocations.cpp.
namespace futon::test {

/// While one lives, allocations of the thread that made it may be refused.
class [[nodiscard]] AllocationsMayFail {
public:
    AllocationsMayFail() noexcept { ++depth(); }
    ~AllocationsMayFail() { --depth(); }
    AllocationsMayFail(const AllocationsMayFail&) = delete;
    AllocationsMayFail& operator=(const AllocationsMayFail&) = delete;

    /// How many of this thread live.
    static int& depth() noexcept;
};

/// While one lives, no allocation of the thread that made it is refused: for what is the test's own in what it calls.
class [[nodiscard]] NoAllocationFails {
public:
    NoAllocationFails() noexcept : depth_(std::exchange(AllocationsMayFail::depth(), 0)) {}
    ~NoAllocationFails() { AllocationsMayFail::depth() = depth_; }
    NoAllocationFails(const NoAllocationFails&) = delete;
    NoAllocationFails& operator=(const NoAllocationFails&) = delete;

private:
    const int depth_;
};

/// Calls `f`. Returns whether it was not refused memory.
template <class F>
bool succeeds(F f) {
    try {
        const AllocationsMayFail here;
        f();
        return true;
    } catch (const std::bad_alloc&) {
        return false;
    }
}

/// How allocations are refused: the one alone, or all from that one on.
enum class Refused { one, all_later };

/// A run of a scenario. The allocation of this number, counted from 1 among those that may be refused, is.
class AllocationRun {
public:
    static constexpr std::size_t none = ~std::size_t{0};

    AllocationRun(std::size_t first, Refused which) noexcept;
    ~AllocationRun();
    AllocationRun(const AllocationRun&) = delete;
    AllocationRun& operator=(const AllocationRun&) = delete;

    /// Whether one was refused.
    bool has_refused() const noexcept;

    /// How many blocks were allocated since it began and are not freed.
    std::ptrdiff_t kept_blocks() const noexcept;

private:
    const std::ptrdiff_t before_;
};

/// Runs `scenario` again and again, with the first allocation refused, the second, and so on, until none was; then the
/// same with all later ones refused as well. It must free what it allocates in each run, but for `most_kept` blocks that a library
/// beneath keeps when it is refused memory. A run that hangs ends the program, and
/// so does one that calls std::terminate; either says which run it was.
template <class Scenario>
void refuse_each_allocation(Scenario scenario, std::ptrdiff_t most_kept = 0) {
    {
        const AllocationRun warm_up(AllocationRun::none, Refused::one);  // what is made once, at the first use, is made
        scenario();
    }
    for (const Refused which : {Refused::one, Refused::all_later}) {
        bool has_refused = true;
        for (std::size_t number = 1; has_refused; ++number) {
            ASSERT_LT(number, 10'000u) << "the scenario never ends to allocate";
            std::ptrdiff_t kept = 0;
            {
                const AllocationRun run(number, which);
                scenario();
                has_refused = run.has_refused();
                kept = run.kept_blocks();
            }
            ASSERT_TRUE(kept >= 0 && kept <= most_kept && !testing::Test::HasFailure())
                << "refused was allocation " << number << (which == Refused::one ? "" : " and all later ones") << "; "
                << kept << " blocks are not freed";
        }
    }
}

}  // namespace futon::test
