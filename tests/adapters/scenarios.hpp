// SPDX-License-Identifier: MIT
#pragma once

// The suite that every adapter passes. A test file defines `TestedHosts`, testing::Types of its hosts (see host.hpp), and
// includes this once.
#include "adapters/scenarios_cancel.hpp"
#include "adapters/scenarios_end.hpp"
#include "adapters/scenarios_loop.hpp"
#include "adapters/scenarios_threads.hpp"
#include "adapters/scenarios_wait.hpp"
