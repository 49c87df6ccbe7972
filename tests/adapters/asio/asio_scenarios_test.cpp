// SPDX-License-Identifier: MIT
#include "adapters/asio/asio_host.hpp"
#include "adapters/scene.hpp"

namespace futon::test {

using TestedHosts = testing::Types<AsioHost<InContext>, AsioHost<InStrand>>;

}  // namespace futon::test

#if FUTON_ASIO_VERSION >= 101900
#include "adapters/scenarios_cancel.hpp"  // Boost.Asio 1.74 has no cancellation slots
#endif
#include "adapters/scenarios_end.hpp"
#include "adapters/scenarios_loop.hpp"
#include "adapters/scenarios_threads.hpp"
#include "adapters/scenarios_wait.hpp"
