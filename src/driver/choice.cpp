// SPDX-License-Identifier: MIT
#include <futon/core/driver/choice.hpp>

#include <utility>

#include <futon/executor.hpp>

#include "platform/stop_order.hpp"

namespace futon::core {

Choice<Timeout>::~Choice() {
    unwatch();
}

Deadline Choice<Timeout>::deadline() const noexcept {
    return deadline_;
}

/// A blocked thread has no executor here and needs no timers.
void Choice<Timeout>::watch(SelectGroup& group, std::uint32_t index, Executor* executor) noexcept {
    if (executor == nullptr || deadline_.is_never()) return;
    group_ = &group;
    index_ = index;
    executor_ = executor;
    executor->arm(*this, deadline_.time_point());
}

void Choice<Timeout>::unwatch() noexcept {
    if (executor_ != nullptr) std::exchange(executor_, nullptr)->disarm(*this);
}

void Choice<Timeout>::fire() noexcept {
    executor_ = nullptr;
    if (group_->claim(index_)) group_->deliver();
}

Choice<StopRequested>::~Choice() = default;

bool Choice<StopRequested>::is_requested() const noexcept {
    return platform::is_stop_requested(token_);
}

void Choice<StopRequested>::watch(SelectGroup& group, std::uint32_t index, Executor*) noexcept {
    if (token_.stop_possible()) platform::watch_stop(on_stop_, token_, Claim{group, index});
}

void Choice<StopRequested>::unwatch() noexcept {
    if (!on_stop_) return;
    platform::unwatch_stop(on_stop_);
    static_cast<void>(platform::is_stop_requested(token_));  // its callback may have chosen this
}

}  // namespace futon::core
