// SPDX-License-Identifier: MIT
#include "adapters/asio/asio_host.hpp"
#include "adapters/host_adapter.hpp"

std::vector<futon::test::TestedHost> futon::test::tested_hosts() {
    return {tested_host<AsioHost<InContext>>("InContext"), tested_host<AsioHost<InStrand>>("InStrand")};
}
