// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include <futon/agent.hpp>
#include <futon/core/driver/block.hpp>
#include <futon/core/operation/operation.hpp>
#include <futon/core/operation/select_group.hpp>
#include <futon/detail/sync/channel_party.hpp>
#include <futon/detail/sync/channel_state.hpp>
#include <futon/detail/warn_unused.hpp>
#include <futon/limits.hpp>
#include <futon/sync/channel.hpp>
#include <futon/sync/channel_result.hpp>

// The operations of a Channel, and how threads send and receive.
namespace futon {

namespace detail {

/// What the drivers need of both operations of a channel.
template <class T>
class ChannelOperation {
public:
    static constexpr bool polls_for_wake_up = true;  // also at a rendezvous, where `try_spinning` does not

    const void* key() const noexcept { return state_.get(); }
    std::uint64_t request() const noexcept { return reinterpret_cast<std::uintptr_t>(&party_); }
    /// The receiver has the item; and giving one back may need memory.
    void joins(core::SelectGroup& group, std::uint32_t index) noexcept {
        party_.group = &group;
        party_.index = index;
    }
    bool is_likely_to_wait() const noexcept { return !state_->may_end(party_); }
    bool woken(core::WakeToken) const noexcept { return party_.seen_outcome() != Outcome::none; }

protected:
    using Outcome = typename ChannelParty<T>::Outcome;

    ChannelOperation(ChannelState<T>& state, bool is_sender) noexcept : state_(state), party_(is_sender) {}
    /// An operation is moved only before or after its use, so its party starts anew.
    ChannelOperation(ChannelOperation&& other) noexcept
        : state_(std::move(other.state_)), party_(other.party_.is_sender) {}

    ChannelResult end(core::Ending ending) const noexcept {
        switch (party_.seen_outcome()) {
            case Outcome::done:
                return ChannelResult::ok;
            case Outcome::closed:
                return ChannelResult::closed;
            default:
                return ending == core::Ending::timed_out ? ChannelResult::timed_out : ChannelResult::cancelled;
        }
    }

    core::Target<ChannelState<T>> state_;
    ChannelParty<T> party_;
};

}  // namespace detail

/// "Send this item" as an operation. `Item` is an optional that owns the item, or a pointer to it.
template <class T>
template <class Item>
class FUTON_WARN_UNUSED Channel<T>::SendOperation : public detail::ChannelOperation<T> {
    using Base = detail::ChannelOperation<T>;
    static constexpr bool owns_item = !std::is_pointer_v<Item>;

public:
    using Result = std::conditional_t<owns_item, SendResult<T>, SendResult<>>;
    static constexpr const char* name = "futon::Channel::send";

    SendOperation(State& state, Item item) noexcept : Base(state, true), item_(std::move(item)) {}
    SendOperation(SendOperation&&) noexcept = default;

    bool try_now() noexcept { return this->state_->template try_now<true>(party()); }
    bool try_spinning() noexcept { return this->state_->template try_spinning<true>(party()); }
    core::WaitCheck check() noexcept { return this->state_->check(party()); }
    void give_back(core::WakeToken) const noexcept {}  // the receiver has the item
    Result result(core::Ending ending) noexcept {
        const ChannelResult end = Base::end(ending);
        if constexpr (owns_item) {
            return end == ChannelResult::ok ? Result() : Result(end, *std::move(item_));
        } else {
            return Result(end);
        }
    }

private:
    /// From its first try on an operation does not move.
    Party& party() noexcept {
        this->party_.to_send = &*item_;
        return this->party_;
    }

    Item item_;
};

/// "Receive an item" as an operation.
template <class T>
class FUTON_WARN_UNUSED Channel<T>::Receiving : public detail::ChannelOperation<T> {
    using Base = detail::ChannelOperation<T>;

public:
    using Result = Received<T>;
    static constexpr const char* name = "futon::Channel::receive";

    explicit Receiving(State& state) noexcept : Base(state, false) {}
    Receiving(Receiving&& other) noexcept : Base(std::move(other)) {}

    bool try_now() noexcept { return this->state_->template try_now<false>(party()); }
    bool try_spinning() noexcept { return this->state_->template try_spinning<false>(party()); }
    core::WaitCheck check() noexcept { return this->state_->check(party()); }
    void give_back(core::WakeToken) noexcept { this->state_->give_back(this->party_); }
    Received<T> result(core::Ending ending) noexcept {
        const ChannelResult end = Base::end(ending);
        return end == ChannelResult::ok ? Received<T>(*std::move(item_)) : Received<T>(end);
    }

private:
    /// From its first try on an operation does not move.
    Party& party() noexcept {
        this->party_.received = &item_;
        return this->party_;
    }

    std::optional<T> item_;
};

// The functions that try, and those that block.

template <class T>
inline SendResult<> Channel<T>::try_send(T&& item) noexcept {
    SendingFrom operation(state_, &item);
    return operation.try_now() ? operation.result(core::Ending::at_once) : SendResult<>(ChannelResult::would_block);
}

template <class T>
inline Received<T> Channel<T>::try_receive() noexcept {
    Receiving operation(state_);
    return operation.try_now() ? operation.result(core::Ending::at_once) : Received<T>(ChannelResult::would_block);
}

template <class T>
inline SendResult<> Channel<T>::send(T&& item, const Limits& limits) {
    // First without the state that a waiter needs.
    if (detail::this_thread_can_block()) {
        if (auto sent = try_send(std::move(item)); sent.result() != ChannelResult::would_block) return sent;
    }
    return core::block(sending_from(item), limits);
}

template <class T>
inline Received<T> Channel<T>::receive(const Limits& limits) {
    if (detail::this_thread_can_block()) {
        if (auto received = try_receive(); received.result() != ChannelResult::would_block) return received;
    }
    return core::block(receiving(), limits);
}

}  // namespace futon

#include <futon/detail/sync/channel_items.hpp>  // the range of items

#include <futon/detail/end.hpp>
