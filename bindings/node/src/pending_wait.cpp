// SPDX-License-Identifier: MIT
#include "pending_wait.hpp"

#include <futon/atomics.hpp>

#include "environment.hpp"

namespace futon::node {

core::WaiterDescription PendingWait::describe() const noexcept {
    return {core::WaiterDescription::Kind::task, is_for_lock() ? AsyncLock::Locking::name : WordWait::name,
            &environment_, environment_.thread_id()};
}

core::Pace* PendingWait::pace() const noexcept {
    return &environment_.pace();
}

void PendingWait::deliver() noexcept {
    environment_.deliver(*this);
}

void WaitLimits::fire() noexcept {
    is_armed = false;
    wait.environment_.time_out(wait);
}

}  // namespace futon::node
