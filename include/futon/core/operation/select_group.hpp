// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstdint>

#include <futon/core/operation/operation.hpp>
#include <futon/core/queue/waiter.hpp>
#include <futon/detail/atomic.hpp>
#include <futon/detail/export.hpp>

namespace futon::core {

/// The members of one select, of which at most one is chosen: by the thread that claims the group for it. [claim]
///
///     winner       means                                                     set by
///     open         nothing is chosen: members may be taken from their queues  the constructor; `reopen`
///     a member     this one is chosen                                         a waker, under its queue's lock, which delivers;
///                                                                             a limit, which delivers; the selecting agent
///     no_memory    a table was full                                           the selecting agent
///     torn_down    the caller is gone                                         the selecting agent
///
/// Every change away from `open` is one compare-exchange: exactly one thread succeeds. Only the selecting agent reopens
/// a group: one that a waker had claimed and delivered, or one that it had claimed itself. It is illegal to take or
/// count a member without having claimed its group, to deliver a group without having claimed it, or to reopen one
/// whose delivery has not come.
class FUTON_API SelectGroup {
public:
    /// Values instead of a winner's index: nothing is chosen yet; a queue had no room; the agent is ending.
    static constexpr std::uint32_t open = ~std::uint32_t{0};
    static constexpr std::uint32_t no_memory = open - 1;
    static constexpr std::uint32_t torn_down = open - 2;

    SelectGroup(WaiterDescription::Kind kind, const void* agent) noexcept : kind_(kind), agent_(agent) {}
    SelectGroup(const SelectGroup&) = delete;
    SelectGroup& operator=(const SelectGroup&) = delete;

    /// Chooses `winner`, if nothing is chosen. Any thread. The thread that succeeds delivers the group once.
    bool claim(std::uint32_t winner) noexcept {
        std::uint32_t expected = open;
        return winner_.compare_exchange_strong(expected, winner);
    }

    /// The same for the selecting agent itself: no delivery follows.
    bool claim_here(std::uint32_t winner) noexcept {
        is_claimed_here_ = claim(winner);
        return is_claimed_here_;
    }

    /// Lets members be taken again, after the chosen member's operation proved not to be done.
    void reopen() noexcept {
        is_claimed_here_ = false;
        winner_.store(open);
    }

    /// Called between attempts to claim both this group and another that may do the same: while two selects keep step,
    /// each finds the other claimed, and they never meet. Spins for a growing time that differs between groups. [claim]
    void back_off(std::uint32_t attempts) const noexcept;

    /// Whether a member was chosen; whether the agent itself chose it; and which.
    bool is_claimed() const noexcept { return winner() != open; }
    bool is_claimed_here() const noexcept { return is_claimed_here_; }
    std::uint32_t winner() const noexcept { return winner_.load(); }  // [claim]

    /// Tells the selecting agent that a member was chosen. Called by the thread that claimed the group, under no lock.
    virtual void deliver() noexcept = 0;

    /// The selecting caller, for operations and for tools.
    Caller caller() const noexcept { return kind_ == WaiterDescription::Kind::thread ? Caller::thread : Caller::task; }
    WaiterOwner owner() const noexcept { return {caller(), agent_}; }
    virtual WaiterDescription describe() const noexcept { return {kind_, "", agent_}; }

    /// As `Waiter::pace`, for the selecting agent.
    virtual Pace* pace() const noexcept { return nullptr; }

    /// As `Waiter::is_here`.
    virtual bool is_here() const noexcept { return false; }

protected:
    ~SelectGroup() = default;

private:
    detail::Atomic<std::uint32_t> winner_{open};
    bool is_claimed_here_ = false;  // only the selecting agent uses it
    const WaiterDescription::Kind kind_;
    const void* agent_;
};

/// A waiter of a select.
///
/// Requires  its owner calls `dequeue` before destroying it, unless it was chosen, and the group delivered: a waker may
///           have dropped it, but still use it under its queue's lock, which `dequeue` takes. [claim]
class FUTON_API SelectMember : public Waiter {
public:
    SelectMember(SelectGroup& group, std::uint32_t index) noexcept : Waiter(InGroup{}), group_(group), index_(index) {}

    WaiterOwner owner() const noexcept final { return group_.owner(); }
    WaiterDescription describe() const noexcept override { return group_.describe(); }
    Pace* pace() const noexcept final { return group_.pace(); }
    bool is_here() const noexcept final { return group_.is_here(); }

private:
    bool claim() noexcept final { return group_.claim(index_); }
    void deliver() noexcept final { group_.deliver(); }

    SelectGroup& group_;
    const std::uint32_t index_;
};

}  // namespace futon::core

#include <futon/detail/end.hpp>
