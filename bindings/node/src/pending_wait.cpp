// SPDX-License-Identifier: MIT
#include "pending_wait.hpp"

#include <type_traits>
#include <variant>

#include <futon/atomics.hpp>

#include "environment.hpp"

namespace futon::node {

core::WaiterDescription PendingWait::describe() const noexcept {
    const char* name = WordWait::name;
    if (has_operation())
        name = std::visit([](const auto& op) { return std::remove_cvref_t<decltype(op)>::name; }, *limits_->operation);
    return {core::WaiterDescription::Kind::task, name, &environment_, environment_.thread_id()};
}

core::Pace* PendingWait::pace() const noexcept {
    return &environment_.pace();
}

bool PendingWait::is_here() const noexcept {
    return environment_.is_here();
}

void PendingWait::deliver() noexcept {
    environment_.deliver(*this);
}

void WaitLimits::fire() noexcept {
    is_armed = false;
    wait.environment_.time_out(wait);
}

}  // namespace futon::node
