// SPDX-License-Identifier: MIT
#include <futon/core/driver/select_cycle.hpp>

#include <system_error>
#include <utility>

#include <futon/core/probe.hpp>
#include <futon/core/queue/blocked_waiter.hpp>
#include <futon/detail/this_thread.hpp>

#include "base/error.hpp"

namespace futon::core {

namespace {

/// A select of a blocked thread.
class BlockedGroup final : public SelectGroup {
public:
    explicit BlockedGroup(const Agent* agent) noexcept : SelectGroup(WaiterDescription::Kind::thread, agent) {}

    void deliver() noexcept override { WaiterAccess::deliver(bell_); }

    /// Blocks until the group is delivered, or claimed here by its deadline.
    void sleep(Deadline deadline, std::uint32_t whose) noexcept {
        if (bell_.await_delivery(deadline) || claim_here(whose)) return;
        bell_.park();  // [once] another was chosen first: its delivery is under way
    }

    /// The caller gives up: claims the group here, or waits for the delivery that is under way.
    void end() noexcept {
        if (!claim_here(torn_down)) bell_.park();
    }

private:
    BlockedWaiter bell_;  // is in no queue: a parker
};

}  // namespace

void SelectCycle::prepare(Agent& agent) {
    for (AnyChoice* const choice : choices_) choice->prepare(agent);
}

bool SelectCycle::try_rest() noexcept {
    if (!is_over()) {
        if (traits_.has_default) chosen_ = static_cast<std::uint32_t>(choices_.size() - 1);
        return traits_.has_default;
    }
    // Tried once more, so that the answer is true of a time at which the limit has come. [over]
    const std::uint32_t limit = std::exchange(chosen_, SelectGroup::open);
    if (!try_operations()) chosen_ = limit;
    return true;
}

void SelectCycle::block() noexcept(!probe::is_enabled) {
    [[maybe_unused]] const probe::Attempt attempt(nullptr, "futon::select", traits_.is_watched);
    BlockedGroup group(detail::this_agent());
    const auto [deadline, whose] = earliest();
    bool has_ended = false;
    while (!has_ended && start(group)) {
        watch(group, nullptr);
        // A probe may throw: then nothing is chosen.
        struct Unwinding {
            SelectCycle& cycle;
            BlockedGroup& group;
            bool sleeps = false;
            ~Unwinding() {
                if (sleeps) return;
                cycle.unwatch();
                group.end();
                cycle.abandon(group);
            }
        } unwinding{*this, group};
        probe::about_to_sleep();
        unwinding.sleeps = true;
        group.sleep(deadline, whose);
        unwatch();
        has_ended = proceed(group);
    }
}

bool SelectCycle::start(SelectGroup& group) noexcept {
    for (std::uint32_t attempts = 1; !start_all(group) && !group.is_claimed(); ++attempts) group.back_off(attempts);
    if (!group.is_claimed_here()) return true;
    chosen_ = group.winner();
    leave();
    return false;
}

bool SelectCycle::proceed(SelectGroup& group) noexcept {
    chosen_ = group.winner();
    const bool is_done = group.is_claimed_here() || choices_[chosen_]->woken();
    // Another thread took what this was woken for. All operations are tried while the claim is still this agent's: else
    // wake-ups in vain could keep it from ever seeing that another operation is ready. If a limit has come, the
    // operations are tried once more. [claim] [over]
    if (!is_done && !try_now()) {
        group.reopen();
        return false;
    }
    leave();
    return true;
}

void SelectCycle::abandon(SelectGroup& group) noexcept {
    const std::uint32_t winner = group.winner();
    if (winner < choices_.size()) choices_[winner]->abandon();
    cancel();
}

void SelectCycle::cancel() noexcept {
    chosen_ = SelectGroup::torn_down;
    leave();
}

void SelectCycle::watch(SelectGroup& group, Executor* executor) noexcept {
    if (!traits_.is_watched) return;
    for (std::uint32_t i = 0; i < choices_.size(); ++i) choices_[i]->watch(group, i, executor);
}

void SelectCycle::unwatch() noexcept {
    if (!traits_.is_watched) return;
    for (AnyChoice* const choice : choices_) choice->unwatch();
}

std::uint32_t SelectCycle::chosen() const {
    if (chosen_ == SelectGroup::no_memory) throw_table_full("futon::select");
    if (chosen_ == SelectGroup::torn_down)
        detail::throw_error(std::errc::operation_canceled,
                            "futon::select_async: the agent ended before anything was chosen");
    return chosen_;
}

/// Returns false if the group is or was claimed meanwhile: then wakers may have dropped members, and all are started
/// again.
bool SelectCycle::start_all(SelectGroup& group) noexcept {
    for (std::uint32_t i = 0; i < choices_.size(); ++i)
        if (!choices_[i]->start(group, i)) return false;
    return true;
}

/// Tries them in an order that is drawn anew each time. [fair]
bool SelectCycle::try_operations() noexcept {
    chosen_ = SelectGroup::open;
    for (const std::uint32_t index : draw_order()) {
        if (!choices_[index]->try_now()) continue;
        chosen_ = index;
        return true;
    }
    return false;
}

/// Whether a stop was requested or a deadline has come; if so, chooses it.
bool SelectCycle::is_over() noexcept {
    if (!traits_.has_limits) return false;
    for (std::uint32_t i = 0; i < choices_.size(); ++i) {
        if (!choices_[i]->is_requested()) continue;
        chosen_ = i;
        return true;
    }
    const auto [deadline, whose] = earliest();
    if (deadline.is_never() || !deadline.is_due()) return false;
    chosen_ = whose;
    return true;
}

std::pair<Deadline, std::uint32_t> SelectCycle::earliest() const noexcept {
    std::pair<Deadline, std::uint32_t> earliest(Deadline::never(), SelectGroup::open);
    if (!traits_.has_limits) return earliest;
    for (std::uint32_t i = 0; i < choices_.size(); ++i) {
        const Deadline deadline = choices_[i]->deadline();
        if (deadline.time_point() < earliest.first.time_point()) earliest = {deadline, i};
    }
    return earliest;
}

void SelectCycle::leave() noexcept {
    for (AnyChoice* const choice : choices_) choice->leave();
}

}  // namespace futon::core
