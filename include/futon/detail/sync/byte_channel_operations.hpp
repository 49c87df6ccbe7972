// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#include <futon/core/driver/await.hpp>
#include <futon/core/operation/operation.hpp>
#include <futon/detail/export.hpp>
#include <futon/detail/stop_token.hpp>
#include <futon/detail/warn_unused.hpp>
#include <futon/limits.hpp>
#include <futon/sync/byte_channel.hpp>
#include <futon/sync/channel_result.hpp>
#include <futon/sync/semaphore.hpp>

// The operations of a ByteChannel.
//
// A send acquires free units, and a receive acquires a message, each at a semaphore: that is all that is waited for, and
// what a waiter that is gone gives back. The ring changes in `result` alone, which runs on the caller's thread and does
// not wait. So a message is in the ring or is not, whatever becomes of a waiter.
//
// Conservation, of `space_`: while the channel is open, the free units, those of the messages in the ring, and those that
// operations under way have acquired are together the capacity. `close` adds the capacity once more.
//
// Conservation, of `items_`: the free permits, and those that operations under way have acquired or are about to
// release, are together the messages in the ring; after `close` one more, the sentinel. So a receive that has acquired
// one and finds the ring empty has acquired the sentinel, and passes it on.
namespace futon {

static_assert(sizeof(ByteChannel) == 64);
static_assert((std::is_trivially_destructible_v<ByteChannel> && std::is_standard_layout_v<ByteChannel>) ||
              core::probe::is_enabled);

constexpr std::size_t ByteChannel::units_of(std::size_t capacity) {
    constexpr std::size_t most_units = Semaphore::max() / 2;  // `close` adds as many
    constexpr std::size_t addressable = (std::numeric_limits<std::ptrdiff_t>::max() - sizeof(ByteChannel)) / unit;
    const std::size_t units = capacity / unit + (capacity % unit != 0 ? 1 : 0);
    if (units == 0 || units > most_units || units > addressable) throw_no_capacity(capacity);
    return units;
}

constexpr std::size_t ByteChannel::bytes_for(std::size_t capacity) {
    return sizeof(ByteChannel) + unit * units_of(capacity);
}

// NOLINTNEXTLINE(misc-new-delete-overloads): of what `make` gives
inline void ByteChannel::operator delete(void* memory) noexcept {
    ::operator delete (memory, std::align_val_t{alignment});
}

inline bool ByteChannel::is_closed() const noexcept {
    return state_.load(std::memory_order_acquire) == closed;  // [bytes]
}

/// "Send this message" as an operation.
class FUTON_API FUTON_WARN_UNUSED ByteChannel::Sending : public Semaphore::Acquiring {
public:
    using Result = SendResult<>;
    static constexpr const char* name = "futon::ByteChannel::send";

    SendResult<> result(core::Ending ending) noexcept;

private:
    friend class ByteChannel;

    Sending(ByteChannel& channel, std::span<const std::byte> bytes, std::uint32_t kind)
        : Acquiring(channel.space_.acquiring(channel.units_for(bytes.size()))),
          channel_(channel),
          bytes_(bytes),
          kind_(kind) {}

    ByteChannel& channel_;
    std::span<const std::byte> bytes_;
    std::uint32_t kind_;
};

/// "Receive a message" as an operation. If there is no memory for it, its result throws, and the message stays.
class FUTON_API FUTON_WARN_UNUSED ByteChannel::Receiving : public Semaphore::Acquiring {
public:
    using Result = Received<Message>;
    static constexpr const char* name = "futon::ByteChannel::receive";

    Received<Message> result(core::Ending ending);

private:
    friend class ByteChannel;

    explicit Receiving(ByteChannel& channel) : Acquiring(channel.items_.acquiring()), channel_(channel) {}

    ByteChannel& channel_;
};

/// "Receive a message into these bytes" as an operation. If they are too few, its result throws, and the message stays.
class FUTON_API FUTON_WARN_UNUSED ByteChannel::ReceivingInto : public Semaphore::Acquiring {
public:
    using Result = Received<Head>;
    static constexpr const char* name = "futon::ByteChannel::receive";

    Received<Head> result(core::Ending ending);

private:
    friend class ByteChannel;

    ReceivingInto(ByteChannel& channel, std::span<std::byte> to)
        : Acquiring(channel.items_.acquiring()), channel_(channel), to_(to) {}

    ByteChannel& channel_;
    std::span<std::byte> to_;
};

inline ByteChannel::Sending ByteChannel::sending(std::span<const std::byte> bytes, std::uint32_t kind) {
    return {*this, bytes, kind};
}
inline ByteChannel::Receiving ByteChannel::receiving() {
    return Receiving(*this);
}
inline ByteChannel::ReceivingInto ByteChannel::receiving(std::span<std::byte> to) {
    return {*this, to};
}

inline SendResult<> ByteChannel::send(std::span<const std::byte> bytes, std::uint32_t kind) {
    return send(bytes, kind, Limits());
}
inline SendResult<> ByteChannel::send(std::span<const std::byte> bytes, const Limits& limits) {
    return send(bytes, 0, limits);
}

/// What `send_async` returns: `co_await` gives a SendResult.
class FUTON_WARN_UNUSED [[nodiscard("nothing is sent before it is awaited: write co_await")]] ByteChannel::AwaitSend
    : public core::Await<Sending> {
public:
    using Await::Await;
};

/// What `receive_async` returns: `co_await` gives a message, or why there is none.
class FUTON_WARN_UNUSED
    [[nodiscard("nothing is received before it is awaited: write co_await")]] ByteChannel::AwaitReceive
    : public core::Await<Receiving> {
public:
    using Await::Await;
};

/// The same, of a receive into the caller's bytes.
class FUTON_WARN_UNUSED
    [[nodiscard("nothing is received before it is awaited: write co_await")]] ByteChannel::AwaitReceiveInto
    : public core::Await<ReceivingInto> {
public:
    using Await::Await;
};

inline ByteChannel::AwaitSend ByteChannel::send_async(std::span<const std::byte> bytes, std::uint32_t kind,
                                                      Limits limits) {
    return {sending(bytes, kind), std::move(limits)};
}
inline ByteChannel::AwaitSend ByteChannel::send_async(std::span<const std::byte> bytes, Limits limits) {
    return {sending(bytes), std::move(limits)};
}
inline ByteChannel::AwaitReceive ByteChannel::receive_async(Limits limits) {
    return {receiving(), std::move(limits)};
}
inline ByteChannel::AwaitReceiveInto ByteChannel::receive_async(std::span<std::byte> to, Limits limits) {
    return {receiving(to), std::move(limits)};
}

// The waiting code of tasks is compiled once, in the library: see src/sync/awaits.cpp.
extern template class core::Await<ByteChannel::Sending>::Waiting;
extern template class core::Await<ByteChannel::Receiving>::Waiting;
extern template class core::Await<ByteChannel::ReceivingInto>::Waiting;

}  // namespace futon

#include <futon/detail/end.hpp>
