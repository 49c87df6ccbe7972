// SPDX-License-Identifier: MIT
#pragma once

#include "ledger.hpp"
#include "ticks.hpp"

/// Prints who held the lock when, the share and the longest wait of each, and how the ticks were kept.
void print_report(const Ledger& ledger, const Ticks& loop, const Ticks& control);
