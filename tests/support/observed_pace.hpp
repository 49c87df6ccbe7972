// SPDX-License-Identifier: MIT
#pragma once

#include <thread>

#include <futon/core/operation/pace.hpp>

namespace futon::test {

/// A loop's pace, as an arbiter sees it.
class ObservedPace {
public:
    /// Asks for the loop from here on, so that it tells.
    explicit ObservedPace(core::Pace& pace) : pace_(pace) { plan(); }

    core::Pace::Plan plan() {
        const core::Pace::Time now = core::Pace::now();
        return pace_.prospect(now, now, true).plan;
    }

    /// Whether it comes at once, as far as it has told. Of a loop that has told neither a turn nor a sleep that is true, too.
    bool comes_at_once() { return plan() == core::Pace::Plan::serve; }

    /// Waits until it does, for ten seconds at most. Returns whether it does.
    bool comes_at_once_soon() {
        for (const core::Pace::Time begin = core::Pace::now(); core::Pace::now() - begin < 10'000'000'000;) {
            if (comes_at_once()) return true;
            std::this_thread::yield();
        }
        return false;
    }

    /// What a loop computes in a turn that is learnt.
    static void compute() {
        for (const core::Pace::Time begin = core::Pace::now();
             core::Pace::now() - begin < 2 * core::Pace::usual_offer;) {
        }
    }

private:
    core::Pace& pace_;
};

}  // namespace futon::test
