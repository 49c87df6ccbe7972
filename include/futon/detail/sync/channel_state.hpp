// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include <futon/core/atomic.hpp>
#include <futon/core/operation/operation.hpp>
#include <futon/core/queue/wait_table.hpp>
#include <futon/detail/export.hpp>
#include <futon/detail/sync/channel_bits.hpp>
#include <futon/detail/sync/channel_party.hpp>

namespace futon::detail {

/// In a checked build, ends the program if a waiter is queued at a channel that is being destroyed.
FUTON_API void check_channel_unused(const void* channel) noexcept;

/// Throws std::length_error: no memory could hold so many items.
[[noreturn]] FUTON_API void throw_channel_too_large();

/// Calls `poll(object)` until it returns true, or sleeping would cost less. Returns whether it returned true.
FUTON_API bool spin_for_channel(bool (*poll)(void* object) noexcept, void* object) noexcept;

/// A channel's items and its wait queue. As a rule only one kind of waiter is queued at a time: receivers if there is
/// no item, senders if there is no room. Both kinds wait at one address.
///
/// The state changes only under the lock of that queue: in an operation's check, and in a wake-up's visitor. So a
/// sender and a receiver meet in one step, and neither can be queued without the other seeing it. [channel]
///
/// A check cannot wake. If it sees a queued waiter of the other kind, it decides nothing, and the operation is tried
/// again; the try searches the queue. Members of one select do not meet each other.
template <class T>
class ChannelState : ChannelBits {
    using Party = ChannelParty<T>;
    using Outcome = typename Party::Outcome;

public:
    explicit ChannelState(std::size_t capacity) : capacity_(capacity), word_(capacity != 0 ? has_room : 0) {
        if (capacity > static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max()) / sizeof(Slot))
            throw_channel_too_large();
        if (capacity != 0) slots_.reset(new Slot[capacity]);
    }
    ChannelState(const ChannelState&) = delete;
    ChannelState& operator=(const ChannelState&) = delete;

    ~ChannelState() {
        check_channel_unused(this);
        while (count_ != 0) drop_front();
        while (returned_) returned_ = std::move(returned_->next);  // avoids a deep recursion
    }

    std::size_t capacity() const noexcept { return capacity_; }
    bool is_closed() const noexcept {
        return (word_.load(std::memory_order_acquire) & closed) != 0;  // [channel] of `close` (not explored)
    }
    std::size_t size() noexcept {
        Counting counting{*this};
        table().must_wait({this, reinterpret_cast<std::uintptr_t>(&counting), [](void*, std::uint64_t asked) noexcept {
                               Counting& by = *reinterpret_cast<Counting*>(static_cast<std::uintptr_t>(asked));
                               const Section section(by.state);
                               by.size = by.state.count_;
                               for (auto* item = by.state.returned_.get(); item; item = item->next.get()) ++by.size;
                               return false;
                           }});
        return counting.size;
    }

    /// Sends or receives without waiting. Returns whether there is an outcome.
    ///
    /// If the word says that the other kind is queued, it searches the queue at once, for the search decides all that the check
    /// does. A party that has searched before asks the check first, which knows whether others have been queued since, and so
    /// does a member of a select, which may have seen its own members there.
    bool try_now(Party& party) noexcept {
        const std::uint32_t others = party.is_sender ? has_receivers : has_senders;
        const bool may_meet = (word_.load(std::memory_order_relaxed) & others) != 0;  // a hint: the lock decides
        if (!may_meet || party.searched != 0 || party.group != nullptr) {
            if (table().must_wait({this, address_of(party), &ChannelState::must_wait<false>})) return false;
            if (party.seen_outcome() != Outcome::none) return true;
        }
        Meeting meeting(*this, party);
        table().wake_while(this, meeting, core::everyone);
        return party.seen_outcome() != Outcome::none;
    }

    /// Whether a try may succeed, by the word: a hint, for the lock decides.
    bool may_end(const Party& party) const noexcept {
        const std::uint32_t hints =
            party.is_sender ? closed | has_receivers | has_room : closed | has_senders | has_items;
        return (word_.load(std::memory_order_relaxed) & hints) != 0;  // as said above
    }

    /// Tries for as long as spinning costs less than sleeping. It polls only the word, and takes the queue's lock only
    /// if the word says that a try may succeed: senders and receivers can have the lock meanwhile.
    bool try_spinning(Party& party) noexcept {
        if (capacity_ == 0) return false;  // two spinning parties cannot meet: one of them must be queued
        Spinning spinning{*this, party};
        return spin_for_channel(
            [](void* object) noexcept {
                const Spinning& by = *static_cast<Spinning*>(object);
                return by.state.may_end(by.party) && by.state.try_now(by.party);
            },
            &spinning);
    }

    /// Decides whether the party is queued. If it says no and the party has no outcome, the caller must try again.
    core::WaitCheck check(Party& party) noexcept { return {this, address_of(party), &ChannelState::must_wait<true>}; }

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
    struct Slot {
        alignas(T) std::byte bytes[sizeof(T)];
    };
    struct Spinning {
        ChannelState& state;
        Party& party;
    };
    struct Counting {
        ChannelState& state;
        std::size_t size = 0;
    };

    /// A section under the queue's lock, which orders it. The word's orders tell tools that see only inline code.
    class Section {
    public:
        explicit Section(ChannelState& state) noexcept
            : state_(state), bits_(state.word_.load(std::memory_order_acquire)) {}  // [channel] (not explored)
        ~Section() {
            bits_ &= ~(has_items | has_room);
            if (state_.count_ != 0 || state_.returned_) bits_ |= has_items;
            if (state_.count_ < state_.capacity_) bits_ |= has_room;
            state_.word_.store(bits_,
                               std::memory_order_release);  // [channel] (not explored)
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
        const bool is_served_first = !party.is_sender && state.returned_ != nullptr;
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
        return party.is_sender ? count_ < capacity_ : count_ != 0 || returned_ != nullptr;
    }

    void end(Party& party, const Section& section) noexcept {
        if (party.is_sender ? section.has(closed) : count_ == 0 && !returned_) {
            party.settle(Outcome::closed);
        } else if (party.is_sender) {
            push(*party.to_send);
            party.settle(Outcome::done);
        } else {
            pop(party);
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
            if (has_met_ || (!party_.is_sender && this->state.returned_)) return Decision::stop;
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
            give(party_of(waiter), item_->item, item_->number);
            is_given_ = true;
            return core::WakeToken::handed_off;
        }
        void finish(bool) noexcept override {
            this->section();
            if (!is_given_) this->state.insert(std::move(item_));
            this->end_section();
        }

    private:
        std::unique_ptr<ReturnedItem<T>> item_;
        bool is_given_ = false;
    };

    static void give(Party& receiver, T& item, std::uint64_t number) noexcept {
        receiver.received->emplace(std::move(item));
        receiver.number = number;
        receiver.settle(Outcome::done);
    }

    /// A sender and a receiver meet. The receiver gets the oldest item: the sender's own if the buffer is empty.
    void exchange(Party& sender, Party& receiver) noexcept {
        if (count_ == 0) {
            give(receiver, *sender.to_send, number_++);
        } else {
            pop(receiver);
            push(*sender.to_send);
        }
        sender.settle(Outcome::done);
    }

    void push(T& item) noexcept {
        const std::size_t behind = capacity_ - front_;
        std::construct_at(slot(count_ < behind ? front_ + count_ : count_ - behind), std::move(item));
        ++count_;
    }

    void pop(Party& receiver) noexcept {
        if (returned_) {
            receiver.emptied = std::exchange(returned_, std::move(returned_->next));
            give(receiver, receiver.emptied->item, receiver.emptied->number);
        } else {
            give(receiver, *slot(front_), number_++);
            drop_front();
        }
    }

    void insert(std::unique_ptr<ReturnedItem<T>> item) noexcept {
        auto* link = &returned_;
        while (*link && (*link)->number < item->number) link = &(*link)->next;
        item->next = std::move(*link);
        *link = std::move(item);
    }

    T* slot(std::size_t index) noexcept { return reinterpret_cast<T*>(slots_[index].bytes); }

    void drop_front() noexcept {
        std::destroy_at(slot(front_));
        front_ = front_ + 1 == capacity_ ? 0 : front_ + 1;
        --count_;
    }

    const std::size_t capacity_;
    std::unique_ptr<Slot[]> slots_;  // a ring
    std::size_t front_ = 0;
    std::size_t count_ = 0;
    std::unique_ptr<ReturnedItem<T>> returned_;  // by number; all come before the items in the ring
    std::uint64_t number_ = 0;                   // of the next item that leaves the ring
    std::uint64_t queued_ = 0;                   // how many waiters have been queued
    core::Atomic<std::uint32_t> word_;
};

}  // namespace futon::detail

#include <futon/detail/end.hpp>
