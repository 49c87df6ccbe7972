// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstdint>
#include <optional>
#include <utility>

#include <futon/asio/service.hpp>
#include <futon/asio/wait.hpp>
#include <futon/core/driver/selection.hpp>
#include <futon/core/operation/operation.hpp>
#include <futon/core/operation/operation_waiter.hpp>
#include <futon/core/operation/select_group.hpp>
#include <futon/deadline.hpp>

namespace futon::asio::detail {

/// An operation and its waiter. `Wait` documents the interface.
///
/// The operation's primitive treats a context as it treats an agent: waiters of one context wait for the same loop.
template <core::Operation Op>
class OperationMachine final : public core::OperationWaiter<OperationMachine<Op>, core::Waiter> {
public:
    using Result = typename Op::Result;

    OperationMachine(PendingBase& wait, net::execution_context& context, Op&& op, Deadline deadline, bool is_tried)
        : wait_(wait), context_(&context), op_(std::move(op)), deadline_(deadline), is_tried_(is_tried) {
        stop_if(false);  // makes its token here, where memory may be refused: a wake-up never fails
    }

    Step try_now() noexcept {
        if (is_tried_) return Step::waits;
        const auto ended = core::attempt<core::Caller::task>(op_, deadline_);
        return ended ? goes_on(core::to_progress(*ended)) : Step::waits;
    }
    Step start() noexcept { return goes_on(core::enqueue<core::Caller::task>(op_, *this)); }

    Step proceed(bool is_cancelled) noexcept {
        return goes_on(
            core::proceed<core::Caller::task>(op_, *this, this->result(), {deadline_, stop_if(is_cancelled)}));
    }

    bool finish(WaitResult result) noexcept {
        return !core::has_outlasted(op_) && core::table_of(op_).dequeue(*this, result);
    }
    bool take_out() noexcept { return core::table_of(op_).dequeue(*this, WaitResult::cancelled); }
    bool expire() noexcept { return finish(WaitResult::timed_out); }

    Deadline end_of_wait() const noexcept { return deadline_; }

    void discard(bool has_ended) noexcept {
        if (has_ended) {
            const bool is_done = progress_ == core::Progress::at_once || progress_ == core::Progress::woken;
            if (is_done) op_.give_back(core::WakeToken::handed_off);
        } else if (this->result() == WaitResult::ok) {
            core::abandon(op_, *this);
        } else {
            core::left(op_);
        }
    }

    Result take_result() {
        if (progress_ == core::Progress::no_memory) core::throw_table_full(Op::name);
        return op_.result(core::to_ending(progress_));
    }
    bool was_cancelled() const noexcept { return progress_ == core::Progress::cancelled; }

    /// Called by `core::enqueue`.
    core::EnqueueResult enqueue(core::WaitQueues& table, const core::WaitCheck& check, core::Place place) noexcept {
        wait_.service().owe();
        const core::EnqueueResult enqueued = table.enqueue(*this, check, place);
        if (enqueued != core::EnqueueResult::queued) wait_.service().settle();
        return enqueued;
    }

    Op& operation() noexcept { return op_; }
    core::WaiterDescription describe() const noexcept override {
        return {core::WaiterDescription::Kind::task, Op::name, context_};
    }
    bool is_here() const noexcept override { return wait_.is_here(); }
    core::Pace* pace() const noexcept override { return &wait_.service().pace(); }

private:
    void deliver() noexcept override { wait_.deliver(); }

    Step goes_on(core::Progress progress) noexcept {
        progress_ = progress;
        return progress == core::Progress::queued ? Step::waits : Step::ended;
    }

    PendingBase& wait_;
    const void* context_;
    Op op_;
    Deadline deadline_;
    bool is_tried_;  // the first try has failed
    core::Progress progress_ = core::Progress::queued;
};

/// A select and its waiters: one delivery, whatever the number of queues.
template <core::Selectable... Ts>
class SelectMachine final : private core::SelectGroup {
    static_assert(!(core::is_settling<Ts> || ...),
                  "futon::asio: a select in Asio does not choose among promises of an agent");

    using Selection = core::Selection<Ts...>;

public:
    using Result = std::optional<typename Selection::Result>;

    SelectMachine(PendingBase& wait, net::execution_context& context, core::Preference preference, Ts... choices)
        : SelectGroup(core::WaiterDescription::Kind::task, &context),
          wait_(wait),
          selection_(preference, std::move(choices)...) {
        selection_.require_usable();
    }

    Step try_now() noexcept { return selection_.try_now() ? Step::ended : Step::waits; }
    Step start() noexcept { return start_waiting(); }

    Step proceed(bool is_cancelled) noexcept {
        if (winner() == torn_down) {  // by `finish`
            was_cancelled_ = true;
            cycle().cancel();
            return Step::ended;
        }
        cycle().unwatch();
        if (cycle().proceed(*this)) return Step::ended;
        if (is_cancelled) {
            was_cancelled_ = true;
            cycle().cancel();
            return Step::ended;
        }
        return start_waiting();
    }

    bool finish(WaitResult) noexcept { return claim(torn_down); }
    bool take_out() noexcept { return finish(WaitResult::cancelled); }
    bool expire() noexcept { return claim(expires_); }

    Deadline end_of_wait() noexcept {
        const auto [deadline, whose] = cycle().earliest();
        expires_ = whose;
        return deadline;
    }

    void discard(bool has_ended) noexcept {
        cycle().unwatch();
        if (has_ended) {
            if (!was_cancelled_) cycle().give_back();
        } else if (winner() == torn_down) {
            cycle().cancel();
        } else {
            cycle().abandon(*this);
        }
    }

    Result take_result() {
        if (was_cancelled_) return std::nullopt;
        return selection_.take_result();
    }
    bool was_cancelled() const noexcept { return was_cancelled_; }

private:
    core::SelectCycle& cycle() noexcept { return selection_.cycle(); }

    void deliver() noexcept override { wait_.deliver(); }
    core::Pace* pace() const noexcept override { return &wait_.service().pace(); }

    /// Enqueues the waiters. One delivery follows, by the thread that claims the group.
    Step start_waiting() noexcept {
        wait_.service().owe();
        if (cycle().start(*this)) {
            cycle().watch(*this, nullptr);
            return Step::waits;
        }
        wait_.service().settle();
        return Step::ended;
    }

    PendingBase& wait_;
    Selection selection_;
    std::uint32_t expires_ = open;
    bool was_cancelled_ = false;
};

}  // namespace futon::asio::detail

#include <futon/detail/end.hpp>
