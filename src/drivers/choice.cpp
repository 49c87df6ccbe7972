// SPDX-License-Identifier: MIT
#include <futon/core/choice.hpp>

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
    if (!token_.stop_requested()) return false;
    platform::note_stop_is_seen(token_);
    return true;
}

void Choice<StopRequested>::watch(SelectGroup& group, std::uint32_t index, Executor*) noexcept {
    if (!token_.stop_possible()) return;
    platform::note_stop_is_watched(token_);
    on_stop_.emplace(token_, Claim{group, index});
}

void Choice<StopRequested>::unwatch() noexcept {
    if (!on_stop_) return;
    on_stop_.reset();
    platform::note_callback_is_over(&on_stop_, sizeof on_stop_);
    if (token_.stop_requested()) platform::note_stop_is_seen(token_);  // its callback may have chosen this
}

}  // namespace futon::core
