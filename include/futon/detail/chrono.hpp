// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

// Durations, time points and clocks, without what formats them: in libstdc++ that is three times as much to compile as the
// rest of a lock's header. A program that prints times, or asks a calendar, includes <chrono> itself.
#if __has_include(<bits/chrono.h>)
#include <bits/chrono.h>
#else
#include <chrono>
#endif

#include <futon/detail/end.hpp>
