// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

namespace bench {

/// Runs `f()` in a forked copy of this process and returns its result: memory that `f` makes the library keep neither
/// stays here nor influences the next call.
double in_a_fresh_process(const std::function<double()>& f);

}  // namespace bench
