// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include <futon/core/atomic.hpp>
#include <futon/core/operation/operation.hpp>
#include <futon/core/queue/wait_table.hpp>
#include <futon/detail/export.hpp>
#include <futon/detail/sync/channel_bits.hpp>
#include <futon/detail/sync/channel_buffer.hpp>
#include <futon/detail/sync/channel_party.hpp>

namespace futon::detail {

/// In a checked build, ends the program if a waiter is queued at a channel that is being destroyed.
FUTON_API void check_channel_unused(const void* channel) noexcept;

/// Locks the word of a channel that another thread has locked, and returns its other bits.
FUTON_API std::uint32_t lock_busy_channel(core::Atomic<std::uint32_t>& word) noexcept;

/// Calls `poll(object)` until it returns true, or sleeping would cost less. Returns whether it returned true.
FUTON_API bool spin_for_channel(bool (*poll)(void* object) noexcept, void* object) noexcept;

/// A channel's items and its wait queue. As a rule only one kind of waiter is queued at a time: receivers if there is
/// no item, senders if there is no room. Both kinds wait at one address.
///
/// The state changes only while its word is locked, by `busy`. What is decided about waiters is decided in an operation's check
/// and in a wake-up's visitor, which lock the word under the lock of that queue. So a sender and a receiver meet in one step,
/// and neither can be queued without the other seeing it. Who has locked the word takes no other lock. [channel]
///
/// A check cannot wake. If it sees a queued waiter of the other kind, it decides nothing, and the operation is tried
/// again; the try searches the queue. Members of one select do not meet each other.
template <class T>
class ChannelState : ChannelBits {
    using Party = ChannelParty<T>;
    using Outcome = typename Party::Outcome;

public:
    explicit ChannelState(std::size_t capacity) : buffer_(capacity), word_(capacity != 0 ? has_room : 0) {}
    ChannelState(const ChannelState&) = delete;
    ChannelState& operator=(const ChannelState&) = delete;

    ~ChannelState() { check_channel_unused(this); }

    std::size_t capacity() const noexcept { return buffer_.capacity(); }
    bool is_closed() const noexcept {
        return (word_.load(std::memory_order_acquire) & closed) != 0;  // [channel] of `close` (not explored)
    }
    std::size_t size() noexcept {
        const Section section(*this);
        return buffer_.size();
    }

    /// Sends or receives without waiting. Returns whether there is an outcome.
    template <bool is_sender>
    bool try_now(Party& party) noexcept {
        return try_alone<is_sender>(party) || try_to_meet(party);
    }

    /// Whether a try may succeed, by the word: a hint, for the lock decides.
    bool may_end(const Party& party) const noexcept {
        const std::uint32_t hints =
            party.is_sender ? closed | has_receivers | has_room : closed | has_senders | has_items;
        return (word_.load(std::memory_order_relaxed) & hints) != 0;  // as said above
    }

    /// Tries for as long as spinning costs less than sleeping. It polls only the word, and locks it only if it says that a try
    /// may succeed: senders and receivers can lock it meanwhile.
    template <bool is_sender>
    bool try_spinning(Party& party) noexcept {
        if (capacity() == 0) return false;  // two spinning parties cannot meet: one of them must be queued
        Spinning spinning{*this, party};
        return spin_for_channel(
            [](void* object) noexcept {
                const Spinning& by = *static_cast<Spinning*>(object);
                return by.state.may_end(by.party) && by.state.template try_now<is_sender>(by.party);
            },
            &spinning);
    }

    /// Decides whether the party is queued. If it says no and the party has no outcome, the caller must try again.
    core::WaitCheck check(Party& party) noexcept {
        return {this, address_of(party), &ChannelState::must_wait<true>, core::FoundBy::note};
    }

    /// Ends all queued waiters; buffered items stay. [last-touch] It touches nothing once the word says closed.
    void close() noexcept {
        Closing closing(*this);
        table().wake_while(this, closing, core::everyone);
    }

    /// A receiver that was handed an item is gone: the item goes to the next receiver, or back before later items.
    ///
    /// Cost  an allocation
    void give_back(Party& party) noexcept {
        if (party.seen_outcome() != Outcome::done) return;
        Returning returning(*this, std::make_unique<ReturnedItem<T>>(*std::move(*party.received), party.number));
        party.received->reset();
        party.settle(Outcome::none);
        table().wake_while(this, returning, core::everyone);
    }

private:
    /// The common case: there is an item, or room, and no waiter to meet. What the word says is true while it is locked.
    template <bool is_sender>
    bool try_alone(Party& party) noexcept {
        constexpr std::uint32_t needed = is_sender ? has_room : has_items;
        constexpr std::uint32_t obstacles = is_sender ? closed | has_receivers | busy : has_senders | busy;
        std::uint32_t bits = word_.load(std::memory_order_relaxed);  // decided by the exchange
        if ((bits & (needed | obstacles)) != needed || !try_lock(bits)) return false;
        Section section(*this, bits);
        if constexpr (is_sender) {
            buffer_.push(*party.to_send);
            party.settle(Outcome::done);
        } else {
            buffer_.pop(party);
        }
        return true;
    }

    /// If the word says that the other kind is queued, it searches the queue at once, for the search decides all that the check
    /// does. A party that has searched before asks the check first, which knows whether others have been queued since, and so
    /// does a member of a select, which may have seen its own members there.
    bool try_to_meet(Party& party) noexcept {
        const std::uint32_t others = party.is_sender ? has_receivers : has_senders;
        const bool may_meet = (word_.load(std::memory_order_relaxed) & others) != 0;  // a hint: the lock decides
        if (!may_meet || party.searched != 0 || party.group != nullptr) {
            if (must_wait<false>(this, address_of(party))) return false;
            if (party.seen_outcome() != Outcome::none) return true;
        }
        Meeting meeting(*this, party);
        table().wake_while(this, meeting, core::everyone);
        return party.seen_outcome() != Outcome::none;
    }

    struct Spinning {
        ChannelState& state;
        Party& party;
    };

    /// While it lives the channel is locked. Its end renews the hints, and touches nothing after the store. [last-touch]
    class Section {
    public:
        explicit Section(ChannelState& state) noexcept : Section(state, state.lock()) {}
        Section(ChannelState& state, std::uint32_t locked) noexcept : state_(state), bits_(locked) {}
        ~Section() {
            bits_ &= ~(has_items | has_room);
            if (!state_.buffer_.is_empty()) bits_ |= has_items;
            if (state_.buffer_.has_room()) bits_ |= has_room;
            state_.word_.store(bits_, std::memory_order_release);  // [channel]
        }
        Section(const Section&) = delete;
        Section& operator=(const Section&) = delete;

        bool has(std::uint32_t bit) const noexcept { return (bits_ & bit) != 0; }
        void set(std::uint32_t bit) noexcept { bits_ |= bit; }
        void clear(std::uint32_t bits) noexcept { bits_ &= ~bits; }

    private:
        ChannelState& state_;
        std::uint32_t bits_;
    };

    /// Locks the word if it is free and its bits are these. Else they are what it holds.
    bool try_lock(std::uint32_t& bits) noexcept {
        return word_.compare_exchange_strong(bits, bits | busy, std::memory_order_acquire,  // [channel]
                                             std::memory_order_relaxed);                    // nothing was locked
    }
    std::uint32_t lock() noexcept {
        std::uint32_t bits = word_.load(std::memory_order_relaxed) & ~busy;  // decided by the exchange
        return try_lock(bits) ? bits : lock_busy_channel(word_);
    }

    static std::uint64_t address_of(Party& party) noexcept { return reinterpret_cast<std::uintptr_t>(&party); }
    static Party& party_of(const core::Waiter& waiter) noexcept {
        return *reinterpret_cast<Party*>(static_cast<std::uintptr_t>(waiter.request().word));
    }
    core::WaitTable& table() noexcept { return core::table_for(this); }

    /// The check of a try and of an enqueueing, which claims the party's select before it changes anything. [claim]
    template <bool is_enqueueing>
    static bool must_wait(void* address, std::uint64_t of_party) noexcept {
        ChannelState& state = *static_cast<ChannelState*>(address);
        Party& party = *reinterpret_cast<Party*>(static_cast<std::uintptr_t>(of_party));
        Section section(state);
        const std::uint32_t others = party.is_sender ? has_receivers : has_senders;
        const bool is_served_first = !party.is_sender && state.buffer_.has_returned();
        if (section.has(others) && !is_served_first && party.searched != state.queued_) return false;
        if (state.can_end(party, section)) {
            if (!is_enqueueing || party.group == nullptr || party.group->claim_here(party.index))
                state.end(party, section);
            return false;
        }
        if (is_enqueueing) {
            section.set(party.is_sender ? has_senders : has_receivers);
            ++state.queued_;
        }
        return true;
    }

    /// Whether the channel's own state ends the party, without a partner: with an item, with room, or closed.
    bool can_end(const Party& party, const Section& section) const noexcept {
        if (section.has(closed)) return true;
        return party.is_sender ? buffer_.has_room() : !buffer_.is_empty();
    }

    void end(Party& party, const Section& section) noexcept {
        if (party.is_sender ? section.has(closed) : buffer_.is_empty()) {
            party.settle(Outcome::closed);
        } else if (party.is_sender) {
            buffer_.push(*party.to_send);
            party.settle(Outcome::done);
        } else {
            buffer_.pop(party);
        }
    }

    /// What a wake-up does in the channel. Its section begins at the first waiter that it is shown, under the lock.
    class Visitor : public core::WakeVisitor {
    protected:
        explicit Visitor(ChannelState& channel) noexcept : state(channel) {}
        ~Visitor() = default;

        Section& section() noexcept {
            if (!section_) section_.emplace(state);
            return *section_;
        }
        void end_section() noexcept { section_.reset(); }

        ChannelState& state;

    private:
        std::optional<Section> section_;
    };

    /// Searches the queue for a waiter that the party can meet. If there is none, the channel's own state decides.
    class Meeting final : public Visitor {
    public:
        using Decision = core::WakeVisitor::Decision;

        Meeting(ChannelState& channel, Party& party) noexcept : Visitor(channel), party_(party) {}

        Decision decide(const core::Waiter& waiter) noexcept override {
            if (this->section().has(closed)) return Decision::stop;  // `close` ends the remaining waiters
            const Party& other = party_of(waiter);
            if (has_met_ || (!party_.is_sender && this->state.buffer_.has_returned())) return Decision::stop;
            if (other.is_sender == party_.is_sender) return Decision::skip;
            const bool is_its_own = other.group != nullptr && other.group == party_.group;
            has_own_ = has_own_ || is_its_own;
            return is_its_own ? Decision::skip : Decision::take;
        }
        core::WakeToken take(const core::Waiter& waiter) noexcept override {
            Party& other = party_of(waiter);
            this->state.exchange(party_.is_sender ? party_ : other, party_.is_sender ? other : party_);
            has_met_ = true;
            return core::WakeToken::handed_off;
        }
        void finish(bool queue_is_empty) noexcept override {
            Section& section = this->section();
            if (!has_met_) {
                party_.searched = this->state.queued_;
                if (this->state.can_end(party_, section)) {
                    this->state.end(party_, section);
                } else if (!has_own_) {
                    section.clear(party_.is_sender ? has_receivers : has_senders);
                }
            }
            if (queue_is_empty) section.clear(has_receivers | has_senders);
            this->end_section();
        }

    private:
        Party& party_;
        bool has_met_ = false;
        bool has_own_ = false;  // a member of the same select is queued, which it must not meet
    };

    class Closing final : public Visitor {
    public:
        using Decision = core::WakeVisitor::Decision;

        explicit Closing(ChannelState& channel) noexcept : Visitor(channel) {}
        Decision decide(const core::Waiter&) noexcept override {
            close();
            return Decision::take;
        }
        core::WakeToken take(const core::Waiter& waiter) noexcept override {
            party_of(waiter).settle(Outcome::closed);
            return core::WakeToken::handed_off;
        }
        void finish(bool) noexcept override { close(); }

        /// [parts] From the first part on, no new waiter is queued, and those still queued meet no partner. An agent
        /// that sees the channel closed may make them leave and destroy the channel, so waiters that come later at this
        /// address belong to another.
        bool may_pause() noexcept override { return true; }
        bool takes_latecomers() noexcept override { return false; }

    private:
        void close() noexcept {
            if (std::exchange(is_closed_, true)) return;
            this->section().clear(has_receivers | has_senders);
            this->section().set(closed);
            this->end_section();
        }

        bool is_closed_ = false;
    };

    class Returning final : public Visitor {
    public:
        using Decision = core::WakeVisitor::Decision;

        Returning(ChannelState& channel, std::unique_ptr<ReturnedItem<T>> item) noexcept
            : Visitor(channel), item_(std::move(item)) {}

        Decision decide(const core::Waiter& waiter) noexcept override {
            if (is_given_ || this->section().has(closed))
                return Decision::stop;  // `close` ends the waiters that are queued
            return party_of(waiter).is_sender ? Decision::skip : Decision::take;
        }
        core::WakeToken take(const core::Waiter& waiter) noexcept override {
            party_of(waiter).receive(item_->item, item_->number);
            is_given_ = true;
            return core::WakeToken::handed_off;
        }
        void finish(bool) noexcept override {
            this->section();
            if (!is_given_) this->state.buffer_.insert(std::move(item_));
            this->end_section();
        }

    private:
        std::unique_ptr<ReturnedItem<T>> item_;
        bool is_given_ = false;
    };

    /// A sender and a receiver meet.
    void exchange(Party& sender, Party& receiver) noexcept {
        buffer_.pass(*sender.to_send, receiver);
        sender.settle(Outcome::done);
    }

    ChannelBuffer<T> buffer_;
    std::uint64_t queued_ = 0;  // how many waiters have been queued
    core::Atomic<std::uint32_t> word_;
};

}  // namespace futon::detail

#include <futon/detail/end.hpp>
