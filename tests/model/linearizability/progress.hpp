// SPDX-License-Identifier: MIT
#pragma once

#include "history.hpp"
#include "subject.hpp"

namespace futon::test {

/// Whether waits of the family could last for ever, when all agents do nothing but wait. Says no where one of them must end by
/// itself, for no wake-up may be lost: it may have ended already, and its answer is under way.
bool needs_help(const History& history, const Subject& subject);

/// What a latch is to be counted down by until it is open, beside the calls that were made.
int left_of_latch(const History& history, const Subject& subject);

/// How many permits the requests that wait for a semaphore lack, for the biggest of them to be served.
int missing_permits(const History& history, const Subject& subject);

}  // namespace futon::test
