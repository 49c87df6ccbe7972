// SPDX-License-Identifier: MIT
#pragma once

namespace futon::test {

/// A report of a deadlock fails the schedule: so it is unless a test chooses something else.
void let_reports_fail();

}  // namespace futon::test
