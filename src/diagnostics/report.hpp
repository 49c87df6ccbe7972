// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include <futon/diagnostics.hpp>

namespace futon::diagnostics::detail {

/// Gives a report to what the program has chosen for it. Under no lock. Throws `DeadlockFound`, if that was chosen, or what the
/// program's function throws.
void report(What what, std::string text);

/// The same from a place that cannot throw: what is thrown is dropped, and a deadlock is written instead.
void report_only(What what, std::string text) noexcept;

/// The same from a place that cannot throw.
void report_later(What what, std::string text) noexcept;

}  // namespace futon::diagnostics::detail
