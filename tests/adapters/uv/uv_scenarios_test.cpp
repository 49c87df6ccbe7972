// SPDX-License-Identifier: MIT
#include "adapters/host_adapter.hpp"
#include "adapters/uv/uv_host.hpp"

std::vector<futon::test::TestedHost> futon::test::tested_hosts() {
    return {tested_host<UvHost>()};
}
