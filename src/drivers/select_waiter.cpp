// SPDX-License-Identifier: MIT
#include <futon/core/select_waiter.hpp>

#include <utility>

namespace futon::core {

SelectWaiter::Group::Group(SelectWaiter& waiter) noexcept
    : SelectGroup(WaiterDescription::Kind::task, &waiter.agent()), waiter_(waiter) {}

void SelectWaiter::Group::deliver() noexcept {
    WaiterAccess::deliver(waiter_);
}

void SelectWaiter::Retry::arm(Deadline deadline) noexcept {
    is_armed_ = !deadline.is_never() && waiter_.executor().keeps_timers();
    if (is_armed_) waiter_.executor().arm(*this, deadline.time_point());
}

void SelectWaiter::Retry::disarm() noexcept {
    if (std::exchange(is_armed_, false)) waiter_.executor().disarm(*this);
}

void SelectWaiter::Retry::fire() noexcept {
    is_armed_ = false;
    if (waiter_.group_.claim(SelectGroup::again)) waiter_.group_.deliver();
}

SelectWaiter::SelectWaiter(SelectCycle& cycle, detail::Continuation continuation)
    : AgentWaiter(Agent::current()), cycle_(cycle), continuation_(continuation), group_(*this) {
    cycle_.prepare(agent());
}

SelectWaiter::~SelectWaiter() {
    unwatch();
    if (end() == Found::woken) cycle_.abandon(group_);
}

bool SelectWaiter::start() noexcept {
    if (!cycle_.start(group_)) return false;
    // The delivery may be posted by now, but it runs on this thread: later. [later]
    begin();
    cycle_.watch(group_, &executor());
    retry_.arm(cycle_.retry_at(Caller::task));
    return true;
}

bool SelectWaiter::leave(WaitResult) noexcept {
    if (!group_.claim_here(SelectGroup::torn_down)) return false;
    cycle_.cancel();
    return true;
}

void SelectWaiter::on_complete(WaitResult) noexcept {
    unwatch();
    if (cycle_.proceed(group_) || !start()) continuation_.resume();
}

void SelectWaiter::on_teardown(bool) noexcept {
    unwatch();
    if (group_.winner() != SelectGroup::torn_down) cycle_.abandon(group_);
    continuation_.abandon();
}

void SelectWaiter::unwatch() noexcept {
    cycle_.unwatch();
    retry_.disarm();
}

}  // namespace futon::core
