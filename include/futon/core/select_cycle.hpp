// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <futon/core/operation.hpp>
#include <futon/core/select_group.hpp>
#include <futon/deadline.hpp>
#include <futon/detail/export.hpp>
#include <futon/detail/this_thread.hpp>

namespace futon {

class Agent;
class Executor;

namespace core {

/// What a select asks of each of its choices. See `Choice`, which says what each kind of them answers. The defaults are those of
/// a choice that waits in no queue and has nothing to say.
class FUTON_API AnyChoice {
public:
    AnyChoice(const AnyChoice&) = delete;
    AnyChoice& operator=(const AnyChoice&) = delete;

    /// Makes what it needs to wait for the agent. Throws what that throws.
    virtual void prepare(Agent&) {}

    /// Whether it is done without waiting.
    virtual bool try_now() noexcept { return false; }

    /// Of a stop: whether it was requested. Of a time-out: when it comes.
    virtual bool is_requested() const noexcept { return false; }
    virtual Deadline deadline() const noexcept { return Deadline::never(); }

    /// Enqueues its waiter, if it has one that is not queued. Returns whether the select goes on.
    virtual bool start(SelectGroup&, std::uint32_t) noexcept { return true; }

    /// From now on its deadline or its stop may claim the group, by a timer of this executor if there is one; and no more.
    virtual void watch(SelectGroup&, std::uint32_t, Executor*) noexcept {}
    virtual void unwatch() noexcept {}

    /// Takes its waiter out of its queue.
    virtual void leave() noexcept {}

    /// A waker chose it: returns whether it is done. Or the caller is gone, and what it was given goes on.
    virtual bool woken() noexcept { return true; }
    virtual void abandon() noexcept {}

protected:
    AnyChoice() noexcept = default;
    virtual ~AnyChoice() = default;
};

/// How a select chooses among operations that are ready at once.
enum class Preference : bool { none, first };

/// What the choices of a select have among them: the cycle asks no choice for what none has.
struct SelectTraits {
    bool has_default;  ///< the last one is chosen where nothing else is
    bool has_limits;   ///< deadlines, stops
    bool is_watched;   ///< limits, or promises
};

/// The cycle of a select, whatever its choices are and whatever its caller does meanwhile: try all; enqueue a waiter for each;
/// when one is chosen, see whether its operation is done, else reopen the group and enqueue what is not queued; in the end
/// leave all queues.
///
/// Threads  the selecting agent's.
class FUTON_API SelectCycle {
public:
    /// `choices` and `operations`, the indices of those that are neither limits nor a default, are the caller's, and outlive
    /// this.
    SelectCycle(Preference preference, std::span<AnyChoice* const> choices, std::span<std::uint32_t> operations,
                SelectTraits traits) noexcept
        : choices_(choices), operations_(operations), preference_(preference), traits_(traits) {}
    SelectCycle(const SelectCycle&) = delete;
    SelectCycle& operator=(const SelectCycle&) = delete;

    /// The earliest deadline, and whose it is.
    std::pair<Deadline, std::uint32_t> earliest() const noexcept;

    /// Makes what the choices need to wait for the agent. Throws what that throws.
    void prepare(Agent& agent);

    /// Whether something could be chosen without waiting: an operation that is ready, before a stop that was requested, before
    /// the earliest deadline, if it is due, before the default. Of several operations each is as likely to be chosen, unless
    /// the first in order is preferred.
    bool try_now() noexcept { return try_operations() || try_rest(); }

    /// The same in two steps, for one who tries the operations itself: in this order, until one is done, which is chosen.
    std::span<const std::uint32_t> draw_order() noexcept {
        if (preference_ == Preference::none && operations_.size() > 1) shuffle();
        return operations_;
    }
    void choose(std::uint32_t index) noexcept { chosen_ = index; }
    bool try_rest() noexcept;

    /// Blocks the thread until something was chosen.
    ///
    /// Requires  `try_now` has failed, and there is no default
    void block() noexcept;

    /// Enqueues every waiter that is not queued. Returns whether a delivery is to be waited for; if not, it has ended.
    bool start(SelectGroup& group) noexcept;

    /// The group was delivered, or claimed by its deadline. Returns whether the select has ended; if not, the group is open
    /// again, and must be started.
    bool proceed(SelectGroup& group) noexcept;

    /// The group was delivered, and the caller is gone.
    void abandon(SelectGroup& group) noexcept;

    /// The caller is gone, and nothing that was chosen is kept.
    void cancel() noexcept;

    /// After the waiters are queued: a deadline or a stop may end the select at once. [enqueue-safe]
    void watch(SelectGroup& group, Executor* executor) noexcept;
    void unwatch() noexcept;

    /// Which was chosen.
    ///
    /// Throws  std::system_error (not_enough_memory) if a table was full; (operation_canceled) if the agent ended first
    std::uint32_t chosen() const;

private:
    bool start_all(SelectGroup& group) noexcept;

    /// All orders are equally likely. [fair]
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
    const std::span<std::uint32_t> operations_;  // in the order in which they were tried last
    std::uint32_t chosen_ = SelectGroup::open;
    const Preference preference_;
    const SelectTraits traits_;
};

}  // namespace core

}  // namespace futon

#include <futon/detail/end.hpp>
