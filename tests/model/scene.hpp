// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include <futon/explorer.hpp>
#include <futon/futon.hpp>

namespace futon::test {

using explorer::check;
using explorer::Shared;

/// What the fibers wait on, and what came of it.
struct Scene {
    int cell = 0;
    Shared message;
    std::size_t notified = 0;
    std::size_t ok = 0;

    futon::Word<int> word() { return cell; }

    /// Ends the schedule as a failure unless each wake was counted once, and no waiter is queued.
    void check_all_accounted() {
        check(notified == ok, "the sum of notify's results is the number of ok");
        check(futon::core::process_table().count(&cell) == 0, "no waiter is queued");
    }
};

inline void count(Scene& scene, WaitResult result) {
    if (result == WaitResult::ok) ++scene.ok;
}

}  // namespace futon::test
