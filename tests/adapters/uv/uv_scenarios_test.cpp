// SPDX-License-Identifier: MIT
#include "adapters/scene.hpp"
#include "adapters/uv/uv_host.hpp"

namespace futon::test {

using TestedHosts = testing::Types<UvHost>;

}  // namespace futon::test

#include "adapters/scenarios.hpp"
