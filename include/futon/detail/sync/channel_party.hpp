// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include <futon/core/atomic.hpp>
#include <futon/core/operation/select_group.hpp>

namespace futon::detail {

/// An item that was handed off to a receiver that was gone before it could take it.
template <class T>
struct ReturnedItem {
    ReturnedItem(T&& returned, std::uint64_t its_number) noexcept : item(std::move(returned)), number(its_number) {}

    T item;
    std::uint64_t number;
    std::unique_ptr<ReturnedItem> next;
};

/// A sender or a receiver, as the other side sees it when the two meet in a channel.
///
///     outcome   means                                              set by, under the channel's lock
///     none      nothing has been done for it                       the constructor
///     done      its item was taken, or it has received one         itself, before it is queued; a waker, which then delivers
///     closed    the channel is closed                              the same
template <class T>
struct ChannelParty {
    enum class Outcome : std::uint8_t { none, done, closed };

    explicit ChannelParty(bool is_a_sender) noexcept : is_sender(is_a_sender) {}
    ChannelParty(const ChannelParty&) = delete;
    ChannelParty& operator=(const ChannelParty&) = delete;

    /// If it returns an outcome, the caller sees what the waker wrote before.
    Outcome seen_outcome() const noexcept {
        return outcome.load(std::memory_order_acquire);  // [channel] of `settle` (not explored)
    }
    void settle(Outcome end) noexcept {
        outcome.store(end, std::memory_order_release);  // [channel] its owner loads it (not explored)
    }

    /// A receiver has got an item.
    void receive(T& item, std::uint64_t its_number) noexcept {
        received->emplace(std::move(item));
        number = its_number;
        settle(Outcome::done);
    }

    const bool is_sender;
    core::Atomic<Outcome> outcome{Outcome::none};
    std::uint32_t index = 0;                     // its place in the select's group
    core::SelectGroup* group = nullptr;          // the select that it is a member of, or null
    T* to_send = nullptr;                        // a sender's item
    std::optional<T>* received = nullptr;        // where a receiver's item goes
    std::uint64_t number = 0;                    // number of the received item: items leave a channel in this order
    std::uint64_t searched = 0;                  // the channel's `queued_` when this party last searched the queue
    std::unique_ptr<ReturnedItem<T>> emptied{};  // what held the item; freed outside the lock
};

}  // namespace futon::detail

#include <futon/detail/end.hpp>
