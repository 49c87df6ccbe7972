// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

namespace bench {

/// What `f()` returns in a copy of this process, which ends with it: so it leaves no trace here, and finds none of others
/// that ran in copies of their own.
double in_a_fresh_process(const std::function<double()>& f);

}  // namespace bench
