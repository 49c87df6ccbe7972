// SPDX-License-Identifier: MIT
#pragma once

#include "calls.hpp"
#include "ledger.hpp"
#include "ticks.hpp"

/// Prints who held the lock when, the share and the longest wait of each, how the ticks were kept, and the longest call.
void print_report(const Ledger& ledger, const Ticks& loop, const Ticks& control, const Calls& calls);
