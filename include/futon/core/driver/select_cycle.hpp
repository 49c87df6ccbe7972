// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <futon/core/operation/operation.hpp>
#include <futon/core/operation/select_group.hpp>
#include <futon/core/probe.hpp>
#include <futon/deadline.hpp>
#include <futon/detail/export.hpp>
#include <futon/detail/this_thread.hpp>

namespace futon {

class Agent;
class Executor;

namespace core {

/// What a select asks of each of its choices. `Choice` documents what each kind answers. The defaults suit a choice
/// that waits in no queue.
class FUTON_API AnyChoice {
public:
    AnyChoice(const AnyChoice&) = delete;
    AnyChoice& operator=(const AnyChoice&) = delete;

    /// Makes what it needs to wait for the agent; throws if that fails.
    virtual void prepare(Agent&) {}

    /// Whether it is done without waiting.
    virtual bool try_now() noexcept { return false; }

    /// For a stop: whether it was requested. For a timeout: when it comes.
    virtual bool is_requested() const noexcept { return false; }
    virtual Deadline deadline() const noexcept { return Deadline::never(); }

    /// Enqueues its waiter, if it has one that is not queued. Returns whether the select goes on.
    virtual bool start(SelectGroup&, std::uint32_t) noexcept { return true; }

    /// From now on its deadline or its stop may claim the group, by a timer of this executor if there is one. `unwatch`
    /// ends that.
    virtual void watch(SelectGroup&, std::uint32_t, Executor*) noexcept {}
    virtual void unwatch() noexcept {}

    /// Takes its waiter out of its queue.
    virtual void leave() noexcept {}

    /// A waker chose it: returns whether it is done. `abandon`: the caller is gone, and what it was given is passed on.
    virtual bool woken() noexcept { return true; }
    virtual void abandon() noexcept {}

    /// It is done, but the caller is gone: what it did is undone.
    virtual void give_back() noexcept {}

protected:
    AnyChoice() noexcept = default;
    virtual ~AnyChoice() = default;
};

/// How a select chooses among operations that are ready at once.
enum class Preference : bool { none, first };

/// What the choices of a select have in common, so that the cycle asks for nothing that none of them has.
struct SelectTraits {
    bool has_default;  ///< the last choice is chosen if nothing else is
    bool has_limits;   ///< deadlines, stops
    bool is_watched;   ///< limits, or promises
};

/// The cycle of a select, for any choices and any way to wait: it tries all, and enqueues a waiter for each. When one
/// is chosen, it asks whether that operation is done; if not, it reopens the group and enqueues the waiters that are
/// not queued. In the end it leaves all queues.
///
/// Threads  the selecting agent's.
class FUTON_API SelectCycle {
public:
    /// The caller owns `choices` and `operations`, which outlive this. `operations` are the indices of choices that are
    /// neither limits nor a default.
    SelectCycle(Preference preference, std::span<AnyChoice* const> choices, std::span<std::uint32_t> operations,
                SelectTraits traits) noexcept
        : choices_(choices), operations_(operations), preference_(preference), traits_(traits) {}
    SelectCycle(const SelectCycle&) = delete;
    SelectCycle& operator=(const SelectCycle&) = delete;

    /// The earliest deadline, and the index of its choice.
    std::pair<Deadline, std::uint32_t> earliest() const noexcept;

    /// Makes what the choices need to wait for the agent; throws if that fails.
    void prepare(Agent& agent);

    /// Whether it chose without waiting: a ready operation first, then a requested stop, then the earliest deadline if
    /// it is due, then the default. Each ready operation is equally likely, unless the first in order is preferred.
    bool try_now() noexcept { return try_operations() || try_rest(); }

    /// The same in two steps, for a caller that tries the operations itself: in this order, until one is done, which is
    /// chosen.
    std::span<const std::uint32_t> draw_order() noexcept {
        if (preference_ == Preference::none && operations_.size() > 1) shuffle();
        return operations_;
    }
    void choose(std::uint32_t index) noexcept { chosen_ = index; }
    bool try_rest() noexcept;

    /// Blocks the thread until a choice was made.
    ///
    /// Requires  `try_now` has failed, and there is no default
    void block() noexcept(!probe::is_enabled);

    /// Enqueues every waiter that is not queued. Returns whether to wait for a delivery; if not, the select has ended.
    bool start(SelectGroup& group) noexcept;

    /// Called after the group was delivered, or claimed by its deadline. Returns whether the select has ended; if not,
    /// the group is open again, and must be started.
    bool proceed(SelectGroup& group) noexcept;

    /// The group was delivered, but the caller is gone.
    void abandon(SelectGroup& group) noexcept;

    /// The caller is gone, and nothing that was chosen is kept.
    void cancel() noexcept;

    /// The select has ended, but the caller is gone: what was chosen is undone.
    void give_back() noexcept {
        if (chosen_ < choices_.size()) choices_[chosen_]->give_back();
    }

    /// Called after the waiters are queued, because a deadline or a stop may end the select at once. [enqueue-safe]
    void watch(SelectGroup& group, Executor* executor) noexcept;
    void unwatch() noexcept;

    /// The index of the choice.
    ///
    /// Throws  std::system_error (not_enough_memory) if a table was full; (operation_canceled) if the agent ended first
    std::uint32_t chosen() const;

private:
    bool start_all(SelectGroup& group) noexcept;

    /// Makes all orders equally likely. [fair]
    void shuffle() noexcept {
        std::uint64_t drawn = detail::draw();
        for (std::size_t i = 0; i + 1 < operations_.size(); ++i) {
            drawn = (drawn & 0xffffffff) * (operations_.size() - i);
            std::swap(operations_[i], operations_[i + static_cast<std::size_t>(drawn >> 32)]);
        }
    }

    bool try_operations() noexcept;
    bool is_over() noexcept;
    void leave() noexcept;

    const std::span<AnyChoice* const> choices_;
    const std::span<std::uint32_t> operations_;  // in the order of the last tries
    std::uint32_t chosen_ = SelectGroup::open;
    const Preference preference_;
    const SelectTraits traits_;
};

}  // namespace core

}  // namespace futon

#include <futon/detail/end.hpp>
