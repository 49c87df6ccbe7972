// SPDX-License-Identifier: MIT
#include <futon/sync/byte_channel.hpp>

#include <algorithm>
#include <cstring>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>

#include <futon/agent.hpp>
#include <futon/core/driver/block.hpp>
#include <futon/detail/view.hpp>

#include "sync/word_mutex.hpp"

namespace futon {

namespace {

constexpr std::size_t bytes_of_unit = 8;

/// What precedes the bytes of each message in the ring: one unit, which is never split.
struct MessagePrefix {
    std::uint32_t length;
    std::uint32_t kind;
};
static_assert(sizeof(MessagePrefix) == bytes_of_unit);

constexpr std::size_t units_of_message(std::size_t bytes) noexcept {
    return 1 + bytes / bytes_of_unit + (bytes % bytes_of_unit != 0 ? 1 : 0);
}

/// Restores what a receive has acquired, if it ends by an exception.
class GivesBackItem {
public:
    explicit GivesBackItem(Semaphore& items) noexcept : items_(&items) {}
    ~GivesBackItem() {
        if (items_ != nullptr) static_cast<void>(items_->try_release());
    }
    GivesBackItem(const GivesBackItem&) = delete;
    GivesBackItem& operator=(const GivesBackItem&) = delete;
    void keep() noexcept { items_ = nullptr; }

private:
    Semaphore* items_;
};

}  // namespace

/// The channel's ring, while this holds its mutex.
class ByteChannel::Locked {
public:
    explicit Locked(ByteChannel& channel) noexcept : channel_(channel), lock_(channel.mutex_) {}

    bool is_empty() const noexcept { return used() == 0; }

    /// The prefix of the first message.
    MessagePrefix first() const noexcept {
        MessagePrefix prefix;
        std::memcpy(&prefix, ring() + unit * channel_.head_, sizeof(prefix));
        return prefix;
    }

    /// Puts a message behind the others. Requires that there is room.
    void push(std::span<const std::byte> bytes, std::uint32_t kind) noexcept {
        const MessagePrefix prefix{static_cast<std::uint32_t>(bytes.size()), kind};
        std::memcpy(ring() + unit * channel_.tail_, &prefix, sizeof(prefix));
        const std::size_t begin = unit * after(channel_.tail_, 1);
        const std::size_t before_end = std::min(bytes.size(), channel_.capacity() - begin);
        std::copy_n(bytes.data(), before_end, ring() + begin);
        std::copy_n(bytes.data() + before_end, bytes.size() - before_end, ring());
        const std::size_t units = units_of_message(bytes.size());
        channel_.tail_ = after(channel_.tail_, units);
        set_used(used() + units);
    }

    /// Calls `copy(bytes)` for the one or two parts of the first message, and takes it out. Returns how many units it had.
    template <class Copy>
    std::size_t pop(const MessagePrefix& prefix, Copy copy) noexcept {
        const std::size_t begin = unit * after(channel_.head_, 1);
        const std::size_t before_end = std::min<std::size_t>(prefix.length, channel_.capacity() - begin);
        copy(std::span<const std::byte>(ring() + begin, before_end));
        copy(std::span<const std::byte>(ring(), prefix.length - before_end));
        const std::size_t units = units_of_message(prefix.length);
        channel_.head_ = after(channel_.head_, units);
        set_used(used() - units);
        return units;
    }

private:
    std::byte* ring() const noexcept { return reinterpret_cast<std::byte*>(&channel_) + sizeof(ByteChannel); }
    std::size_t used() const noexcept { return channel_.used_.load(std::memory_order_relaxed); }  // the mutex orders it
    void set_used(std::size_t units) noexcept {
        channel_.used_.store(static_cast<std::uint32_t>(units), std::memory_order_relaxed);  // the mutex orders it
    }
    std::uint32_t after(std::uint32_t position, std::size_t units) const noexcept {
        const std::size_t next = position + units;
        return static_cast<std::uint32_t>(next < channel_.capacity_ ? next : next - channel_.capacity_);
    }

    ByteChannel& channel_;
    detail::WordMutexLock lock_;
};

// How a channel is made.

void ByteChannel::open_with(std::size_t units) {
    const Locked locked(*this);
    if (state_.load(std::memory_order_relaxed) != fresh)  // changes under the mutex
        throw std::logic_error("futon::ByteChannel::make_at: a channel was made there before");
    capacity_ = static_cast<std::uint32_t>(units);
    space_.release(units);
    state_.store(open, std::memory_order_release);  // [bytes]
}

std::unique_ptr<ByteChannel> ByteChannel::make(std::size_t capacity) {
    void* const memory = ::operator new (bytes_for(capacity), std::align_val_t{alignment});
    std::unique_ptr<ByteChannel> channel(::new (memory) ByteChannel);
    channel->open_with(units_of(capacity));
    return channel;
}

/// That the header of a channel can lie there.
static void check_place(const std::byte* memory, std::size_t length, std::size_t offset) {
    constexpr std::size_t alignment = alignof(ByteChannel);
    if (reinterpret_cast<std::uintptr_t>(memory) % alignment != 0)
        throw std::out_of_range("futon::ByteChannel: its memory must begin at a multiple of sixteen");
    detail::check_view(length, offset, sizeof(ByteChannel) / alignment, alignment);
}

ByteChannel& ByteChannel::make_in(std::byte* memory, std::size_t length, std::size_t offset, std::size_t capacity) {
    const std::size_t units = units_of(capacity);
    check_place(memory, length, offset);
    detail::check_view(length, offset + sizeof(ByteChannel), units, unit);
    auto& channel = *std::launder(reinterpret_cast<ByteChannel*>(memory + offset));
    channel.open_with(units);
    return channel;
}

ByteChannel& ByteChannel::make_at(std::span<std::byte> memory, std::size_t capacity) {
    return make_in(memory.data(), memory.size(), 0, capacity);
}

ByteChannel& ByteChannel::at(std::span<std::byte> memory) {
    return made_in(memory.data(), memory.size(), 0);
}

ByteChannel& ByteChannel::made_in(std::byte* memory, std::size_t length, std::size_t offset) {
    check_place(memory, length, offset);
    auto& channel = *std::launder(reinterpret_cast<ByteChannel*>(memory + offset));
    if (channel.state_.load(std::memory_order_acquire) == fresh)  // [bytes]
        throw std::logic_error("futon::ByteChannel::at: no channel was made there: use make_at first");
    detail::check_view(length, offset + sizeof(ByteChannel), channel.capacity_, unit);
    return channel;
}

void ByteChannel::throw_no_capacity(std::size_t capacity) {
    throw std::length_error("futon::ByteChannel: no channel has a ring of " + std::to_string(capacity) + " bytes");
}

void ByteChannel::throw_too_small(std::size_t message, std::size_t room) {
    throw std::length_error("futon::ByteChannel::receive: the message has " + std::to_string(message) +
                            " bytes, and there is room for " + std::to_string(room));
}

// Sending.

std::size_t ByteChannel::units_for(std::size_t bytes) const {
    if (bytes > largest_message())
        throw std::length_error("futon::ByteChannel::send: a message of " + std::to_string(bytes) +
                                " bytes; the largest that fits has " + std::to_string(largest_message()));
    return units_of_message(bytes);
}

/// Puts a message into the ring, for which the caller has acquired units; or gives them back, if the channel is closed.
SendResult<> ByteChannel::put(std::span<const std::byte> bytes, std::uint32_t kind) noexcept {
    const bool is_sent = [&] {
        Locked locked(*this);
        if (is_closed()) return false;
        locked.push(bytes, kind);
        return true;
    }();
    // The last touch: from here on a receiver may have the message.
    static_cast<void>(is_sent ? items_.try_release() : space_.try_release(units_of_message(bytes.size())));
    return SendResult<>(is_sent ? ChannelResult::ok : ChannelResult::closed);
}

/// A closed channel is the reason that a caller needs, whatever else has ended its wait.
ChannelResult ByteChannel::why_not_sent(core::Ending ending) const noexcept {
    if (is_closed()) return ChannelResult::closed;
    return ending == core::Ending::timed_out ? ChannelResult::timed_out : ChannelResult::cancelled;
}

SendResult<> ByteChannel::Sending::result(core::Ending ending) noexcept {
    if (Acquiring::result(ending) != WaitResult::ok) return SendResult<>(channel_.why_not_sent(ending));
    return channel_.put(bytes_, kind_);
}

SendResult<> ByteChannel::try_send(std::span<const std::byte> bytes, std::uint32_t kind) {
    if (space_.try_acquire(units_for(bytes.size()))) return put(bytes, kind);
    return SendResult<>(is_closed() ? ChannelResult::closed : ChannelResult::would_block);
}

SendResult<> ByteChannel::send(std::span<const std::byte> bytes, std::uint32_t kind, const Limits& limits) {
    if (!detail::this_thread_can_block()) [[unlikely]]
        detail::throw_blocking_forbidden(Sending::name);
    // First without the state that a waiter needs.
    if (space_.try_acquire(units_for(bytes.size()))) return put(bytes, kind);
    return core::block(sending(bytes, kind), limits);
}

// Receiving.

/// Takes the first message out, for a caller that has acquired one. The memory for it is allocated first, and not under
/// the mutex: if another receiver takes the message meanwhile, the next may be larger.
Received<ByteChannel::Message> ByteChannel::take() {
    GivesBackItem item(items_);  // also if it is the sentinel
    Message message;
    while (true) {
        std::size_t length = 0;
        {
            std::optional<Locked> locked(std::in_place, *this);
            if (locked->is_empty()) return Received<Message>(ChannelResult::closed);
            const MessagePrefix prefix = locked->first();
            length = prefix.length;
            if (length <= message.bytes.capacity()) {
                const std::size_t units = locked->pop(prefix, [&](std::span<const std::byte> part) {
                    message.bytes.insert(message.bytes.end(), part.begin(), part.end());
                });
                message.kind = prefix.kind;
                locked.reset();
                item.keep();
                static_cast<void>(space_.try_release(units));
                return Received<Message>(std::move(message));
            }
        }
        message.bytes.reserve(length);
    }
}

/// The same, without an allocation.
Received<ByteChannel::Head> ByteChannel::take_into(std::span<std::byte> to) {
    GivesBackItem item(items_);
    MessagePrefix prefix{};
    std::size_t units = 0;
    {
        Locked locked(*this);
        if (locked.is_empty()) return Received<Head>(ChannelResult::closed);
        prefix = locked.first();
        if (prefix.length <= to.size()) {
            std::byte* next = to.data();
            units = locked.pop(
                prefix, [&](std::span<const std::byte> part) { next = std::copy_n(part.data(), part.size(), next); });
        }
    }
    if (units == 0) throw_too_small(prefix.length, to.size());
    item.keep();
    static_cast<void>(space_.try_release(units));
    return Received<Head>(Head{prefix.length, prefix.kind});
}

/// Whether no message is there, and none will come.
bool ByteChannel::is_drained() const noexcept {
    return is_closed() && used_.load(std::memory_order_relaxed) == 0;  // after `close` it only falls
}

ChannelResult ByteChannel::why_not_received(core::Ending ending) const noexcept {
    if (is_drained()) return ChannelResult::closed;
    return ending == core::Ending::timed_out ? ChannelResult::timed_out : ChannelResult::cancelled;
}

Received<ByteChannel::Message> ByteChannel::Receiving::result(core::Ending ending) {
    if (Acquiring::result(ending) != WaitResult::ok) return Received<Message>(channel_.why_not_received(ending));
    return channel_.take();
}

Received<ByteChannel::Head> ByteChannel::ReceivingInto::result(core::Ending ending) {
    if (Acquiring::result(ending) != WaitResult::ok) return Received<Head>(channel_.why_not_received(ending));
    return channel_.take_into(to_);
}

Received<ByteChannel::Message> ByteChannel::try_receive() {
    if (items_.try_acquire()) return take();
    return Received<Message>(is_drained() ? ChannelResult::closed : ChannelResult::would_block);
}

Received<ByteChannel::Head> ByteChannel::try_receive(std::span<std::byte> to) {
    if (items_.try_acquire()) return take_into(to);
    return Received<Head>(is_drained() ? ChannelResult::closed : ChannelResult::would_block);
}

Received<ByteChannel::Message> ByteChannel::receive(const Limits& limits) {
    if (!detail::this_thread_can_block()) [[unlikely]]
        detail::throw_blocking_forbidden(Receiving::name);
    if (items_.try_acquire()) return take();
    return core::block(receiving(), limits);
}

Received<ByteChannel::Head> ByteChannel::receive(std::span<std::byte> to, const Limits& limits) {
    if (!detail::this_thread_can_block()) [[unlikely]]
        detail::throw_blocking_forbidden(ReceivingInto::name);
    if (items_.try_acquire()) return take_into(to);
    return core::block(receiving(to), limits);
}

/// Each waiting sender gets its turn, finds the channel closed and gives back what it acquired. Messages in the ring keep
/// their units, so what is added is the whole capacity: then even the largest message finds room. The sentinel comes
/// last: a receiver that it lets through may destroy the channel.
void ByteChannel::close() noexcept {
    const bool is_first = [&] {
        const Locked locked(*this);
        if (is_closed()) return false;
        state_.store(closed, std::memory_order_release);  // [bytes]
        return true;
    }();
    if (!is_first) return;
    static_cast<void>(space_.try_release(capacity_));
    static_cast<void>(items_.try_release());
}

}  // namespace futon
