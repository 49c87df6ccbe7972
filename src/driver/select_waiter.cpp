// SPDX-License-Identifier: MIT
#include <futon/core/driver/select_waiter.hpp>

namespace futon::core {

SelectWaiter::Group::Group(SelectWaiter& waiter) noexcept
    : SelectGroup(WaiterDescription::Kind::task, &waiter.agent()), waiter_(waiter) {}

void SelectWaiter::Group::deliver() noexcept {
    WaiterAccess::deliver(waiter_);
}

SelectWaiter::SelectWaiter(SelectCycle& cycle, detail::Continuation continuation)
    : AgentWaiter(Agent::current()), cycle_(cycle), continuation_(continuation), group_(*this) {
    cycle_.prepare(agent());
}

SelectWaiter::~SelectWaiter() {
    cycle_.unwatch();
    if (end() == Found::woken) cycle_.abandon(group_);
}

bool SelectWaiter::start() noexcept {
    if (!cycle_.start(group_)) return false;
    // The delivery may be posted by now, but it runs on this thread: later. [later]
    begin();
    cycle_.watch(group_, &executor());
    return true;
}

bool SelectWaiter::leave(WaitResult) noexcept {
    if (!group_.claim_here(SelectGroup::torn_down)) return false;
    cycle_.cancel();
    return true;
}

void SelectWaiter::on_complete(WaitResult) noexcept {
    cycle_.unwatch();
    if (cycle_.proceed(group_) || !start()) continuation_.resume();
}

void SelectWaiter::on_teardown(bool) noexcept {
    cycle_.unwatch();
    if (group_.winner() != SelectGroup::torn_down) cycle_.abandon(group_);
    continuation_.abandon();
}

}  // namespace futon::core
