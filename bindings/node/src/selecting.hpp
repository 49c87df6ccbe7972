// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <futon/core/driver/choice.hpp>
#include <futon/core/driver/select_cycle.hpp>
#include <futon/core/operation/select_group.hpp>
#include <futon/wait_result.hpp>

#include "bytes.hpp"
#include "interruptible_waiter.hpp"

namespace futon::node {

class Environment;
class PendingWait;

/// One operation of a select of JavaScript.
class Arm {
public:
    virtual ~Arm() = default;

    Bytes bytes{};  // what it sends

    virtual core::AnyChoice& choice() noexcept = 0;

    /// Takes over what the operation has yielded. Returns how it has ended.
    virtual WaitResult take_result(Environment& environment) noexcept = 0;
};

using Arms = std::vector<std::unique_ptr<Arm>>;

/// The operations of a select, and its cycle.
class Selection {
public:
    /// Which is chosen instead of an operation if its time is over, or it was aborted.
    static constexpr std::uint32_t timed_out = core::SelectGroup::torn_down - 1;
    static constexpr std::uint32_t cancelled = core::SelectGroup::torn_down - 2;

    /// Throws std::bad_alloc.
    explicit Selection(Arms arms);

    core::SelectCycle& cycle() noexcept { return cycle_; }

    /// The index of the operation that was chosen; -1 if none was.
    int chosen() const noexcept { return chosen_; }

    /// Takes over what it has yielded, after the cycle has ended. Returns how the select has ended.
    WaitResult take_result(Environment& environment) noexcept;

private:
    Arms arms_;
    std::vector<core::AnyChoice*> choices_;
    std::vector<std::uint32_t> operations_;
    core::SelectCycle cycle_;
    int chosen_ = -1;
};

/// The select of a promise of JavaScript. It is delivered by its wait, which is in no queue itself.
class PendingSelect final : public core::SelectGroup {
public:
    PendingSelect(Environment& environment, PendingWait& wait, Arms arms);

    Selection& selection() noexcept { return selection_; }

    /// Enqueues its waiters. Returns whether the select waits; if not, it has ended.
    bool start() noexcept { return selection_.cycle().start(*this); }

    /// After the delivery: whether the select has ended; if not, it must be started again.
    bool proceed() noexcept { return selection_.cycle().proceed(*this); }

    /// Ends it without an operation, if none was chosen yet.
    bool claim_timed_out() noexcept { return claim_here(Selection::timed_out); }
    bool cancel() noexcept;

    /// It was delivered, but the environment ends.
    void abandon() noexcept { selection_.cycle().abandon(*this); }

    void deliver() noexcept override;
    core::WaiterDescription describe() const noexcept override;
    core::Pace* pace() const noexcept override;
    bool is_here() const noexcept override;

private:
    Environment& environment_;
    PendingWait& wait_;
    Selection selection_;
};

}  // namespace futon::node
