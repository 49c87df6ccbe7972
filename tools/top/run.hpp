// SPDX-License-Identifier: MIT
#pragma once

namespace futon::top {

struct Options;

/// Prints a snapshot, or shows the view until the user or the program ends it. Throws Problem, and what the system says.
void run(const Options& options);

}  // namespace futon::top
