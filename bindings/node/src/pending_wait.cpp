// SPDX-License-Identifier: MIT
#include "pending_wait.hpp"

#include "environment.hpp"

namespace futon::node {

void PendingWait::deliver() noexcept {
    environment_.deliver(*this);
}

void WaitLimits::fire() noexcept {
    is_armed = false;
    wait.environment_.time_out(wait);
}

}  // namespace futon::node
