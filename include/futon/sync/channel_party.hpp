// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include <futon/core/atomic.hpp>
#include <futon/core/select_group.hpp>

namespace futon::detail {

/// An item that was handed off to a receiver that did not live to take it.
template <class T>
struct ReturnedItem {
    ReturnedItem(T&& returned, std::uint64_t its_number) noexcept : item(std::move(returned)), number(its_number) {}

    T item;
    std::uint64_t number;
    std::unique_ptr<ReturnedItem> next;
};

/// A sender or a receiver, as others see it that meet it in a channel.
///
///     outcome   means                                              set by, under the lock of the channel's queue
///     none      nothing has been done for it                       the beginning
///     done      a sender's item was taken, a receiver has got one  itself, before it is queued; a waker, which then delivers
///     closed    the channel is closed                              the same
template <class T>
struct ChannelParty {
    enum class Outcome : std::uint8_t { none, done, closed };

    explicit ChannelParty(bool is_a_sender) noexcept : is_sender(is_a_sender) {}
    ChannelParty(const ChannelParty&) = delete;
    ChannelParty& operator=(const ChannelParty&) = delete;

    /// Once it has an outcome, what others wrote is seen.
    Outcome seen_outcome() const noexcept {
        return outcome.load(std::memory_order_acquire);  // [channel] of `settle` (not explored)
    }
    void settle(Outcome end) noexcept {
        outcome.store(end, std::memory_order_release);  // [channel] seen by its owner (not explored)
    }

    const bool is_sender;
    core::Atomic<Outcome> outcome{Outcome::none};
    std::uint32_t index = 0;                     // in the group
    core::SelectGroup* group = nullptr;          // the select that it is a member of, if it is of one
    T* to_send = nullptr;                        // of a sender: the item
    std::optional<T>* received = nullptr;        // of a receiver: where the item goes
    std::uint64_t number = 0;                    // of the item received: items leave a channel in this order
    std::uint64_t searched = 0;                  // how many had been queued when it searched the queue last
    std::unique_ptr<ReturnedItem<T>> emptied{};  // what the item came from; freed under no lock
};

}  // namespace futon::detail

#include <futon/detail/end.hpp>
