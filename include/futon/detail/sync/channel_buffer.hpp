// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

#include <futon/detail/export.hpp>
#include <futon/detail/sync/channel_party.hpp>

namespace futon::detail {

/// Throws std::length_error: no memory could hold so many items.
[[noreturn]] FUTON_API void throw_channel_too_large();

/// The items of a channel: a ring of a fixed capacity, and before them those that came back. It is a member of what locks it.
template <class T>
class ChannelBuffer {
    using Party = ChannelParty<T>;
    using Returned = std::unique_ptr<ReturnedItem<T>>;

public:
    explicit ChannelBuffer(std::size_t capacity) : capacity_(capacity) {
        if (capacity > static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max()) / sizeof(Slot))
            throw_channel_too_large();
        if (capacity != 0) slots_.reset(new Slot[capacity]);
    }
    ChannelBuffer(const ChannelBuffer&) = delete;
    ChannelBuffer& operator=(const ChannelBuffer&) = delete;

    ~ChannelBuffer() {
        while (count_ != 0) drop_front();
        while (returned_) returned_ = std::move(returned_->next);  // avoids a deep recursion
    }

    std::size_t capacity() const noexcept { return capacity_; }
    bool has_room() const noexcept { return count_ < capacity_; }
    bool is_empty() const noexcept { return count_ == 0 && !returned_; }
    bool has_returned() const noexcept { return returned_ != nullptr; }
    std::size_t size() const noexcept {
        std::size_t size = count_;
        for (auto* item = returned_.get(); item; item = item->next.get()) ++size;
        return size;
    }

    /// Requires that there is room.
    void push(T& item) noexcept {
        const std::size_t behind = capacity_ - front_;
        std::construct_at(slot(count_ < behind ? front_ + count_ : count_ - behind), std::move(item));
        ++count_;
    }

    /// Gives the receiver the oldest item. Requires that there is one.
    void pop(Party& receiver) noexcept {
        if (returned_) {
            receiver.emptied = std::exchange(returned_, std::move(returned_->next));
            receiver.receive(receiver.emptied->item, receiver.emptied->number);
        } else {
            receiver.receive(*slot(front_), number_++);
            drop_front();
        }
    }

    /// Gives the receiver the oldest item, which is this one if the ring is empty; else this one goes into the ring.
    void pass(T& item, Party& receiver) noexcept {
        if (count_ == 0) return receiver.receive(item, number_++);
        pop(receiver);
        push(item);
    }

    /// Puts an item back before those that were sent later.
    void insert(Returned item) noexcept {
        auto* link = &returned_;
        while (*link && (*link)->number < item->number) link = &(*link)->next;
        item->next = std::move(*link);
        *link = std::move(item);
    }

private:
    struct Slot {
        alignas(T) std::byte bytes[sizeof(T)];
    };

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
    Returned returned_;         // by number; all come before the items in the ring
    std::uint64_t number_ = 0;  // of the next item that leaves the ring
};

}  // namespace futon::detail

#include <futon/detail/end.hpp>
