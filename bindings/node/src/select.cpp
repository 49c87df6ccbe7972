// SPDX-License-Identifier: MIT
// Select: which of several operations is done first. See lib/select.js.

#include <memory>
#include <optional>
#include <utility>

#include <futon/atomics.hpp>
#include <futon/core/operation/operation.hpp>

#include "arguments.hpp"
#include "environment.hpp"
#include "functions.hpp"
#include "operation_of.hpp"
#include "selecting.hpp"

namespace futon::node {

namespace {

template <core::Operation Op>
class ArmOf final : public Arm {
public:
    explicit ArmOf(Op op) : choice_(std::move(op)) {}

    core::AnyChoice& choice() noexcept override { return choice_; }
    WaitResult take_result(Environment& environment) noexcept override { return environment.take(choice_.result()); }

private:
    core::Choice<Op> choice_;
};

template <core::Operation Op>
std::unique_ptr<Arm> make_arm(Op op) {
    return std::make_unique<ArmOf<Op>>(std::move(op));
}

/// The select of a blocked thread of JavaScript.
class BlockedSelect final : public core::SelectGroup {
public:
    explicit BlockedSelect(Environment& environment) noexcept
        : SelectGroup(core::WaiterDescription::Kind::thread, &environment), environment_(environment) {}

    /// Blocks until the select has ended.
    void block(core::SelectCycle& cycle, Deadline deadline) noexcept {
        bool has_ended = false;
        while (!has_ended && cycle.start(*this)) {
            const Environment::Wake wake = environment_.sleep(bell_, deadline);
            if (wake != Environment::Wake::delivered) {
                const bool is_due = wake == Environment::Wake::due;
                // [once] If another thread has chosen first, its delivery is under way.
                if (!claim_here(is_due ? Selection::timed_out : Selection::cancelled)) bell_.wait_for_delivery();
            }
            if (!is_claimed_here() && !environment_.may_run_javascript()) {
                cycle.abandon(*this);
                return cycle.choose(Selection::cancelled);
            }
            has_ended = cycle.proceed(*this);
        }
    }

    void deliver() noexcept override { core::WaiterAccess::deliver(bell_); }
    core::WaiterDescription describe() const noexcept override {
        return {core::WaiterDescription::Kind::thread, "", &environment_, environment_.thread_id()};
    }

private:
    Environment& environment_;
    InterruptibleWaiter bell_;  // in no queue
};

/// Leaves how the select has ended, and which operation was chosen.
void leave_result(Environment& environment, Selection& selection) noexcept {
    Mailbox& mailbox = environment.mailbox();
    mailbox.outcome = to_outcome(selection.take_result(environment));
    mailbox.count = selection.chosen();
}

/// Ends the select if that needs no waiting.
bool try_now(Environment& environment, Selection& selection, const Deadline& deadline) noexcept {
    if (!selection.cycle().try_now()) {
        if (!deadline.is_due()) return false;
        if (!selection.cycle().try_now()) selection.cycle().choose(Selection::timed_out);  // [over]
    }
    leave_result(environment, selection);
    return true;
}

}  // namespace

Selection::Selection(Arms arms)
    : arms_(std::move(arms)),
      choices_([this] {
          std::vector<core::AnyChoice*> choices;
          for (const auto& arm : arms_) choices.push_back(&arm->choice());
          return choices;
      }()),
      operations_([this] {
          std::vector<std::uint32_t> operations;
          for (std::uint32_t i = 0; i < arms_.size(); ++i) operations.push_back(i);
          return operations;
      }()),
      cycle_(core::Preference::none, choices_, operations_, {}) {}

WaitResult Selection::take_result(Environment& environment) noexcept {
    const std::uint32_t chosen = cycle_.chosen();  // throws nothing: the table of the process is never full
    if (chosen == timed_out) return WaitResult::timed_out;
    if (chosen >= arms_.size()) return WaitResult::cancelled;
    chosen_ = static_cast<int>(chosen);
    return arms_[chosen]->take_result(environment);
}

PendingSelect::PendingSelect(Environment& environment, PendingWait& wait, Arms arms)
    : SelectGroup(core::WaiterDescription::Kind::task, &environment),
      environment_(environment),
      wait_(wait),
      selection_(std::move(arms)) {}

bool PendingSelect::cancel() noexcept {
    if (!claim_here(Selection::cancelled)) return false;
    selection_.cycle().cancel();
    return true;
}

void PendingSelect::deliver() noexcept {
    environment_.deliver(wait_);
}

core::WaiterDescription PendingSelect::describe() const noexcept {
    return {core::WaiterDescription::Kind::task, "", &environment_, environment_.thread_id()};
}

core::Pace* PendingSelect::pace() const noexcept {
    return &environment_.pace();
}

bool PendingSelect::is_here() const noexcept {
    return environment_.is_here();
}

napi_value add_choice(napi_env env, napi_callback_info info) {
    Environment& environment = environment_of(env, info);
    Mailbox& mailbox = environment.mailbox();
    Arms& arms = environment.arms();
    if (mailbox.slot == 0) arms.clear();  // the first; a select that could not be begun may have left some
    with_choice(environment, [&](auto op) {
        arms.push_back(make_arm(std::move(op)));
        arms.back()->bytes = std::move(environment.bytes());
    });
    return nullptr;
}

napi_value begin_select(napi_env env, napi_callback_info info) {
    Environment& environment = environment_of(env, info);
    Mailbox& mailbox = environment.mailbox();
    const Deadline deadline = deadline_in(mailbox);
    PendingWait& wait = environment.begin_wait(true);
    WaitLimits& limits = wait.add_limits();
    limits.deadline = deadline;
    PendingSelect& select =
        *(limits.select = std::make_unique<PendingSelect>(environment, wait, std::move(environment.arms())));
    if (try_now(environment, select.selection(), deadline)) {
        environment.give_back(wait);
    } else if (!select.start()) {
        leave_result(environment, select.selection());
        environment.give_back(wait);
    } else {
        environment.enqueued(wait);
        mailbox.outcome = static_cast<std::int32_t>(wait.slot());
    }
    return nullptr;
}

napi_value block_in_select(napi_env env, napi_callback_info info) {
    Environment& environment = environment_of(env, info);
    const Deadline deadline = deadline_in(environment.mailbox());
    Selection selection(std::move(environment.arms()));
    if (try_now(environment, selection, deadline)) return nullptr;
    BlockedSelect select(environment);
    select.block(selection.cycle(), deadline);
    leave_result(environment, selection);
    return nullptr;
}

napi_value chosen_of(napi_env env, napi_callback_info info) {
    Environment& environment = environment_of(env, info);
    Mailbox& mailbox = environment.mailbox();
    const WaitLimits* limits = environment.wait_at(static_cast<std::uint32_t>(mailbox.slot)).limits();
    mailbox.count = limits->select->selection().chosen();
    return nullptr;
}

}  // namespace futon::node
