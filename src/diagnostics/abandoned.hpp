// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "diagnostics/registry.hpp"

namespace futon::diagnostics::detail {

/// A lock that was held when its holder ended, and that nothing releases.
struct Abandoned {
    std::string actor, object;
    Place place;
    std::int64_t held_for = 0;
};

/// A thread has ended: adds what it still holds. Under the mutex.
void end_thread(const ThreadRecord& thread, std::vector<Abandoned>& found);

/// Whether the program has asked for these reports: another caller may be meant to unlock it, which is not seen.
inline std::atomic<bool> reports_abandoned{false};

/// Says it, if it was asked for. Under no lock.
void report(const std::vector<Abandoned>& found) noexcept;

}  // namespace futon::diagnostics::detail
