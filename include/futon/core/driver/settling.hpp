// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <concepts>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <variant>

#include <futon/core/driver/choice.hpp>
#include <futon/core/operation/select_group.hpp>
#include <futon/detail/loop/promise_state.hpp>
#include <futon/promise.hpp>

namespace futon {

namespace core {

/// Keeps a promise's state alive while a select may take its outcome.
template <class T>
class PromiseWatcher {
public:
    explicit PromiseWatcher(detail::PromiseState<T>& state) noexcept : state_(state) { state.begin_watching(); }
    PromiseWatcher(PromiseWatcher&& other) noexcept = default;
    PromiseWatcher& operator=(PromiseWatcher&&) = delete;
    ~PromiseWatcher() {
        if (state_) state_->end_watching();
    }

    /// Whether the promise was moved from.
    bool is_used() const noexcept { return !state_; }
    detail::PromiseState<T>* operator->() const noexcept { return state_.operator->(); }

private:
    detail::StateRef<detail::PromiseState<T>> state_;
};

/// Whether a select that chooses a promise copies the value or moves it out.
enum class Yield : bool { copy, moved };

}  // namespace core

/// A choice of `select_async` that `settled` makes: done once a promise has settled. Yields the value, or throws the
/// exception.
template <class T, core::Yield yield>
struct Settled {
    /// The watched promise.
    core::PromiseWatcher<T> promise;
};

/// Lets `select_async` choose a promise. The promise stays the caller's: if another choice is made, it is unchanged.
///
/// From an lvalue the value is copied, and stays in the promise; from an rvalue it is moved out if this is chosen. A
/// promise of void yields std::monostate.
///
///     auto chosen = co_await futon::select_async(futon::settled(answer), futon::timeout(50ms));
///
/// Lifetime  the promise outlives the select: a promise that is dropped first may never settle
/// Errors    if another choice is made, an exception of the promise counts as unobserved: it is reported if nothing
///           else listens
/// Throws    std::logic_error if the promise was moved from; when awaited, if its event loop has ended
/// Threads   the promise's own
template <std::copy_constructible T>
Settled<T, core::Yield::copy> settled(const Promise<T>& promise) {
    return {core::PromiseWatcher<T>(detail::PromiseAccess::state_of(promise))};
}
template <std::same_as<void> T>
Settled<T, core::Yield::copy> settled(const Promise<T>& promise) {
    return {core::PromiseWatcher<T>(detail::PromiseAccess::state_of(promise))};
}
template <class T>
Settled<T, core::Yield::moved> settled(Promise<T>&& promise) {
    return {core::PromiseWatcher<T>(detail::PromiseAccess::state_of(promise))};
}

namespace core {

template <class T, Yield yield>
inline constexpr bool is_settling<Settled<T, yield>> = true;

/// A reaction that claims a group once a promise has settled.
class SettlingReaction final : private detail::Reaction {
public:
    explicit SettlingReaction(Agent& agent) : Reaction(agent) {}

    /// Starts listening; claims the group for the choice of this index.
    void start(detail::PromiseStateBase& promise, SelectGroup& group, std::uint32_t index) noexcept {
        group_ = &group;
        index_ = index;
        promise.react(*this);
    }

    ~SettlingReaction() override = default;

    /// Takes the reaction back. Returns false if the executor has it and cannot return it: then it ends itself.
    bool stop() noexcept {
        if (!detail::PromiseStateBase::remove_reaction(*this)) {
            group_ = nullptr;
            return false;
        }
        detail::PromiseStateBase::mark_delivered(*this);  // it may be taken back a second time
        return true;
    }

private:
    void run() noexcept override {
        detail::PromiseStateBase::mark_delivered(*this);
        if (group_ == nullptr) {
            delete this;
        } else if (group_->claim(index_)) {
            group_->deliver();
        }
    }

    /// The promise will not settle, or the executor ends: the select ends with its agent.
    void discard() noexcept override {
        detail::PromiseStateBase::mark_delivered(*this);
        if (group_ == nullptr) delete this;
    }

    SelectGroup* group_ = nullptr;
    std::uint32_t index_ = 0;
};

template <class T, Yield yield>
class Choice<Settled<T, yield>> final : public AnyChoice {
public:
    using Result = std::conditional_t<std::is_void_v<T>, std::monostate, T>;

    explicit Choice(Settled<T, yield> settled) noexcept : promise_(std::move(settled.promise)) {}

    /// Throws std::logic_error.
    void require_usable() const {
        if (promise_.is_used()) throw_used_twice("futon::settled");
        if (promise_->is_abandoned()) detail::throw_broken_promise();
    }
    void prepare(Agent& agent) override { reaction_ = std::make_unique<SettlingReaction>(agent); }

    bool try_now() noexcept override { return promise_->is_settled(); }

    void watch(SelectGroup& group, std::uint32_t index, Executor*) noexcept override {
        reaction_->start(*promise_.operator->(), group, index);
    }
    /// A reaction that the executor keeps is not needed again: its promise has settled, so a select that was woken in
    /// vain takes it.
    void unwatch() noexcept override {
        if (reaction_ != nullptr && !reaction_->stop()) static_cast<void>(reaction_.release());
    }

    Result result() {
        if constexpr (std::is_void_v<T>) {
            promise_->value();
            return {};
        } else if constexpr (yield == Yield::moved) {
            return std::move(promise_->value());
        } else {
            return promise_->value();
        }
    }

private:
    PromiseWatcher<T> promise_;
    std::unique_ptr<SettlingReaction> reaction_;  // at most one is posted
};

}  // namespace core

}  // namespace futon

#include <futon/detail/end.hpp>
