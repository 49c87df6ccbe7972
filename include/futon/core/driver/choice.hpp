// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <concepts>
#include <cstdint>
#include <optional>
#include <utility>

#include <futon/core/driver/select_cycle.hpp>
#include <futon/core/operation/operation.hpp>
#include <futon/core/operation/operation_waiter.hpp>
#include <futon/core/operation/select_group.hpp>
#include <futon/detail/export.hpp>
#include <futon/detail/maybe.hpp>
#include <futon/detail/stop_token.hpp>
#include <futon/limits.hpp>
#include <futon/timer.hpp>

namespace futon {

/// A choice of `select`: done when the time is over, counted from the call of `select`. Yields `WaitResult::timed_out`.
struct Timeout {
    /// When the time is over.
    Limits limit;
};

/// A choice of `select`: done when a stop is requested. Yields `WaitResult::cancelled`.
struct StopRequested {
    /// The token whose stop it waits for.
    std::stop_token token;
};

/// The last choice of a `select` that does not wait: done if nothing else is. Yields itself.
struct Otherwise {
    friend bool operator==(Otherwise, Otherwise) = default;
};

namespace core {

/// A choice that limits a select: asked only if no operation is ready.
template <class T>
inline constexpr bool is_limit =
    std::same_as<T, Timeout> || std::same_as<T, StopRequested> || std::same_as<T, Otherwise>;

/// A choice that is not an operation, and waits in no queue.
template <class T>
inline constexpr bool is_settling = false;

template <class T>
inline constexpr bool is_settling<std::optional<T>> = is_settling<T>;

/// An optional operation or promise.
template <class T>
inline constexpr bool is_optional_choice = false;
template <class T>
    requires(Operation<T> || is_settling<T>)
inline constexpr bool is_optional_choice<std::optional<T>> = true;

/// Everything that `select` chooses among.
template <class T>
concept Selectable = Operation<T> || is_optional_choice<T> || is_limit<T> || is_settling<T>;

/// One choice of a select, and its waiter. Only the selecting agent uses it, except for the waiter's functions.
template <Selectable T>
class Choice;

template <Operation Op>
class Choice<Op> final : public AnyChoice {
public:
    using Result = typename Op::Result;

    explicit Choice(Op op) : op_(std::move(op)) {}

    /// Throws std::logic_error if it was used before.
    void require_usable() { require_unused(op_); }
    bool is_likely_to_wait() const noexcept { return core::is_likely_to_wait(op_); }
    bool try_now() noexcept override {
        if (!op_.try_now()) return false;
        ending_ = Ending::at_once;
        was_woken_in_vain_ = false;
        return true;
    }

    /// Enqueues the waiter, unless it is queued. Returns whether the select goes on: false once the group is claimed.
    /// If the group is open again then, waiters may have been dropped meanwhile, and all must be started again.
    bool start(SelectGroup& group, std::uint32_t index) noexcept override {
        WaitQueues& queues = table_of(op_);
        if (!member_) {
            member_.emplace(op_, group, index);
        } else if (queues.is_queued(*member_)) {
            return true;
        }
        // [claim] Asked after the queue's lock was held: if the waiter is idle and the group open, no waker has the
        // waiter.
        if (group.is_claimed()) return false;
        if constexpr (is_irrevocable<Op>) op_.joins(group, index);
        // It was woken in vain, or a waker dropped it while the group was claimed: it keeps its place.
        const Place place = place_of(op_, was_queued_ ? Enqueueing::again : Enqueueing::first);
        switch (queues.enqueue(*member_, check_of(op_, group.caller()), place)) {
            case EnqueueResult::queued:
                was_woken_in_vain_ = was_taken_ = false;
                was_queued_ = true;
                queued(op_);
                return true;
            case EnqueueResult::not_needed:  // it is done; if another was chosen meanwhile, it is undone
                was_woken_in_vain_ = was_taken_ = false;
                ending_ = Ending::at_once;
                if constexpr (is_irrevocable<Op>) {
                    if (!group.is_claimed()) try_claimed(group, index);
                } else if (!group.claim_here(index)) {
                    op_.give_back(WakeToken::handed_off);
                }
                return false;
            case EnqueueResult::no_memory:
                group.claim_here(SelectGroup::no_memory);
                return false;
        }
        return false;
    }

    /// Dequeues the waiter under its queue's lock, unless it was taken and delivered. [claim]
    void leave() noexcept override {
        if (!member_) return;
        if (!was_taken_) {
            table_of(op_).dequeue(*member_, WaitResult::cancelled);
            left(op_);  // even if a waker has dropped it: what the waiter noted there must be undone
        }
        if (was_woken_in_vain_) op_.give_back(WakeToken::none);  // and it was not enqueued again
    }

    /// A waker chose this. Returns whether the operation is done; if not, it must be tried again.
    bool woken() noexcept override {
        ending_ = Ending::woken;
        was_taken_ = true;
        was_woken_in_vain_ = !op_.woken(member_->token());
        return !was_woken_in_vain_;
    }

    /// A waker chose this, but the caller is gone.
    void abandon() noexcept override {
        was_taken_ = true;
        op_.give_back(member_->token());
    }
    void give_back() noexcept override { op_.give_back(WakeToken::handed_off); }

    Result result() {
        note_done(op_.key());
        return op_.result(ending_);
    }

private:
    /// The check has decided nothing. A try may do what cannot be undone, so this claims the group first, and reopens
    /// it if nothing was done. [claim]
    void try_claimed(SelectGroup& group, std::uint32_t index) noexcept {
        if (group.claim_here(index) && !op_.try_now()) group.reopen();
    }

    Op op_;
    Ending ending_ = Ending::at_once;
    bool was_taken_ = false;  // by a waker, since it was last enqueued
    bool was_queued_ = false;
    bool was_woken_in_vain_ = false;
    detail::Maybe<OperationWaiter<Op&, SelectMember>> member_;
};

/// Does what its choice does, if there is one; else nothing, for ever.
template <class T>
    requires is_optional_choice<std::optional<T>>
class Choice<std::optional<T>> final : public AnyChoice {
public:
    using Result = typename Choice<T>::Result;

    explicit Choice(std::optional<T> choice) {
        if (choice) choice_.emplace(std::move(*choice));
    }

    void require_usable() {
        if (choice_) choice_->require_usable();
    }
    void prepare(Agent& agent) override {
        if (choice_) choice_->prepare(agent);
    }
    bool is_likely_to_wait() noexcept requires Operation<T> { return choice_ && choice_->is_likely_to_wait(); }
    bool try_now() noexcept override { return choice_ && choice_->try_now(); }
    bool start(SelectGroup& group, std::uint32_t index) noexcept override {
        return !choice_ || choice_->start(group, index);
    }
    void watch(SelectGroup& group, std::uint32_t index, Executor* executor) noexcept override {
        if (choice_) choice_->watch(group, index, executor);
    }
    void unwatch() noexcept override {
        if (choice_) choice_->unwatch();
    }
    void leave() noexcept override {
        if (choice_) choice_->leave();
    }
    bool woken() noexcept override { return choice_->woken(); }
    void abandon() noexcept override { choice_->abandon(); }
    void give_back() noexcept override { choice_->give_back(); }
    Result result() { return choice_->result(); }

private:
    detail::Maybe<Choice<T>> choice_;
};

template <>
class FUTON_API Choice<Timeout> final : public AnyChoice, private Timer {
public:
    using Result = WaitResult;

    explicit Choice(const Timeout& timeout) noexcept : deadline_(timeout.limit.deadline()) {}
    ~Choice() override;

    Deadline deadline() const noexcept override;
    void watch(SelectGroup& group, std::uint32_t index, Executor* executor) noexcept override;
    void unwatch() noexcept override;

    WaitResult result() const noexcept { return WaitResult::timed_out; }

private:
    void fire() noexcept override;

    Deadline deadline_;
    SelectGroup* group_ = nullptr;
    std::uint32_t index_ = 0;
    Executor* executor_ = nullptr;  // keeps the timer armed
};

template <>
class FUTON_API Choice<StopRequested> final : public AnyChoice {
public:
    using Result = WaitResult;

    explicit Choice(StopRequested stop) noexcept : token_(std::move(stop.token)) {}
    ~Choice() override;

    bool is_requested() const noexcept override;
    void watch(SelectGroup& group, std::uint32_t index, Executor* executor) noexcept override;
    /// Waits for a callback that runs on another thread.
    void unwatch() noexcept override;

    WaitResult result() const noexcept { return WaitResult::cancelled; }

private:
    struct Claim {
        SelectGroup& group;
        std::uint32_t index;
        void operator()() const noexcept {
            if (group.claim(index)) group.deliver();
        }
    };

    std::stop_token token_;
    detail::Maybe<std::stop_callback<Claim>> on_stop_;
};

template <>
class FUTON_API Choice<Otherwise> final : public AnyChoice {
public:
    using Result = Otherwise;

    explicit Choice(Otherwise) noexcept {}

    Otherwise result() const noexcept { return {}; }
};

}  // namespace core

}  // namespace futon

#include <futon/detail/end.hpp>
