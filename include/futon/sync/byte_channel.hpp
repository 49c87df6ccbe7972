// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <futon/core/operation/operation.hpp>
#include <futon/detail/atomic.hpp>
#include <futon/detail/export.hpp>
#include <futon/limits.hpp>
#include <futon/sync/channel_result.hpp>
#include <futon/sync/semaphore.hpp>

namespace futon {

class SharedArrayBuffer;

/// A bounded queue of messages, each a sequence of bytes, from many senders to many receivers: threads that may block,
/// and event loops that must not. Its messages lie in a ring in plain memory, so it can lie in a SharedArrayBuffer. Use
/// it for records of different sizes, and where no memory may be allocated for an item. For objects use `Channel`.
///
///     auto channel = futon::ByteChannel::make(64 << 10);
///     if (!channel->send(std::as_bytes(std::span(samples)))) ...        // a thread: blocks while there is no room
///     while (auto message = channel->receive()) use(message->bytes);    // a thread: until it is closed and empty
///     while (auto message = co_await channel->receive_async()) ...      // a coroutine: the same
///
/// | way       | send                                  | receive                            | agents                 |
/// |-----------|---------------------------------------|------------------------------------|------------------------|
/// | try       | try_send(bytes, kind)                 | try_receive(), try_receive(to)     | any                    |
/// | blocking  | send(bytes, kind, limits)             | receive(limits), receive(to, …)    | that may block         |
/// | awaitable | send_async(bytes, kind, limits)       | receive_async(limits), (to, …)     | coroutines             |
/// | operation | sending(bytes, kind)                  | receiving(), receiving(to)         | `select`, `promise_of` |
///
/// Room      a message takes its bytes, rounded up to a multiple of eight, and eight more: see `largest_message`.
/// Bytes     a send refers to the caller's bytes until it has ended, and copies them once it has room. A receive copies
///           them out: into a new vector, or to where the caller says.
/// Order     messages are received in the order in which their sends ended, each once.
/// Closing   `close` ends sending: waiting senders and all later ones fail. Receivers get what was sent before, then
///           `closed`.
/// Fairness  as two semaphores, of free room and of messages: waiting senders are served in queue order, so small
///           messages do not starve a large one, and so are waiting receivers.
/// Loops     a loop that does not run holds no message and no room: both are only offered to its tasks. See Semaphore.
/// Cancel    a receiver that is gone before it runs has taken no message out, and a sender has put none in.
/// Ordering  everything before a send happens before everything after the receive of its message; everything before
///           `close` happens before everything after a `closed`.
/// Threads   any, for all functions. A message is copied under a short lock of the channel, also by event loops.
/// Lifetime  a send does not touch the channel once its message could be received, unless other sends are under way;
///           `close` does not once a receive could yield `closed`.
/// Requires  the channel is neither destroyed nor moved while an operation is under way or a waiter is queued.
/// Cost      64 bytes, and the ring. A send or a receive that need not wait takes four changes of a word and a copy. A
///           receive into a vector takes the lock twice, and allocates in between
class FUTON_API alignas(16) ByteChannel {
public:
    class Sending;
    class Receiving;
    class ReceivingInto;
    class AwaitSend;
    class AwaitReceive;
    class AwaitReceiveInto;

    /// A message that was received.
    struct Message {
        std::vector<std::byte> bytes;  ///< what was sent
        std::uint32_t kind = 0;        ///< as the sender said
    };

    /// What is known of a message that was received into the caller's bytes.
    struct Head {
        std::size_t size = 0;    ///< how many bytes were written
        std::uint32_t kind = 0;  ///< as the sender said
    };

    /// How many bytes a channel takes whose ring has this many. A ring is rounded up to a multiple of eight.
    /// Throws std::length_error if `capacity` is zero, or more than a channel can have: 8 GiB, less eight bytes.
    static constexpr std::size_t bytes_for(std::size_t capacity);

    /// Makes a channel of the program's own, with a ring of this many bytes. Throws as `bytes_for`; std::bad_alloc.
    static std::unique_ptr<ByteChannel> make(std::size_t capacity);

    /// Makes a channel in zeroed bytes of a buffer. One agent does so, and the others use `at`. Throws std::length_error
    /// as `bytes_for`; std::out_of_range if `byte_offset` is not a multiple of sixteen, or the channel would end outside
    /// the buffer; std::logic_error if a channel was made there before.
    template <std::same_as<SharedArrayBuffer> Buffer>  // so that this header need not include it
    static ByteChannel& make_at(Buffer& buffer, std::size_t byte_offset, std::size_t capacity) {
        return make_in(buffer.data(), buffer.byte_length(), byte_offset, capacity);
    }

    /// Returns the channel that was made there. All views of the same bytes are the same channel. Throws
    /// std::logic_error if no channel was made there; std::out_of_range as `make_at`.
    template <std::same_as<SharedArrayBuffer> Buffer>
    static ByteChannel& at(Buffer& buffer, std::size_t byte_offset = 0) {
        return made_in(buffer.data(), buffer.byte_length(), byte_offset);
    }

    /// The same in other memory of this process, for its threads: another that maps it has wait queues of its own, so
    /// that even a try may sleep there for ever. It must begin at a multiple of sixteen.
    static ByteChannel& make_at(std::span<std::byte> memory, std::size_t capacity);
    static ByteChannel& at(std::span<std::byte> memory);

    ByteChannel(const ByteChannel&) = delete;
    static void operator delete(void* memory) noexcept;  // NOLINT(misc-new-delete-overloads): of what `make` gives

    /// Sends if there is room. Any agent: it waits for none, at most briefly for another's copying. Returns `ok`,
    /// `closed` or `would_block`.
    ///
    /// Throws  std::length_error if the message is larger than `largest_message()`
    SendResult<> try_send(std::span<const std::byte> bytes, std::uint32_t kind = 0);

    /// Receives if there is a message. Any agent: it waits for none, at most briefly for another's copying.
    ///
    /// Returns  a message, or `closed` or `would_block`
    /// Throws   std::bad_alloc; of a receive into the caller's bytes: std::length_error if the message is larger than
    ///          they are. The message stays the first in the channel then, as with every receive that throws
    Received<Message> try_receive();
    Received<Head> try_receive(std::span<std::byte> to);

    /// Blocks until the message is in the ring, the channel is closed, or the limits are over. Returns which it was.
    ///
    /// Threads  agents that may block.
    /// Throws   BlockingForbidden if the agent may not block, even if the call need not wait; std::length_error as
    ///          `try_send`
    SendResult<> send(std::span<const std::byte> bytes, std::uint32_t kind = 0);
    SendResult<> send(std::span<const std::byte> bytes, std::uint32_t kind, const Limits& limits);
    SendResult<> send(std::span<const std::byte> bytes, const Limits& limits);

    /// Blocks until there is a message, the channel is closed and empty, or the limits are over.
    ///
    /// Returns  a message, or `closed`, `timed_out` or `cancelled`
    /// Threads  as `send`
    /// Throws   BlockingForbidden as `send`; the others as `try_receive`
    Received<Message> receive(const Limits& limits = {});
    Received<Head> receive(std::span<std::byte> to, const Limits& limits = {});

    /// `send` and `receive` for coroutines, on the agent that awaits: `co_await` gives what they return. The bytes are
    /// the caller's until then.
    ///
    /// Throws  std::length_error as `try_send`; when awaited: as `try_receive`; NoExecutor, as `core::await`
    AwaitSend send_async(std::span<const std::byte> bytes, std::uint32_t kind = 0, Limits limits = {});
    AwaitSend send_async(std::span<const std::byte> bytes, Limits limits);
    AwaitReceive receive_async(Limits limits = {});
    AwaitReceiveInto receive_async(std::span<std::byte> to, Limits limits = {});

    /// `send` and `receive` as operations, for `select`, `promise_of` and the drivers of `core`.
    ///
    /// Requires  the bytes outlive the use of the operation, such as the promise of it until that settles
    /// Throws    std::length_error as `try_send`
    Sending sending(std::span<const std::byte> bytes, std::uint32_t kind = 0);
    Receiving receiving();
    ReceivingInto receiving(std::span<std::byte> to);

    /// Ends sending: see Closing. A second call does nothing. Any agent; never waits, but for the short lock.
    void close() noexcept;
    bool is_closed() const noexcept;

    /// How many bytes the ring has, and how many the largest message can have: eight less.
    std::size_t capacity() const noexcept { return unit * capacity_; }
    std::size_t largest_message() const noexcept { return capacity() - unit; }

private:
    class Locked;
    enum State : std::uint32_t { fresh, open, closed };

    static constexpr std::size_t alignment = 16, unit = 8;
    static constexpr std::size_t units_of(std::size_t capacity);

    ByteChannel() noexcept = default;
    static ByteChannel& make_in(std::byte* memory, std::size_t length, std::size_t offset, std::size_t capacity);
    static ByteChannel& made_in(std::byte* memory, std::size_t length, std::size_t offset);
    [[noreturn]] static void throw_no_capacity(std::size_t capacity);
    [[noreturn]] static void throw_too_small(std::size_t message, std::size_t room);

    void open_with(std::size_t units);
    std::size_t units_for(std::size_t bytes) const;
    SendResult<> put(std::span<const std::byte> bytes, std::uint32_t kind) noexcept;
    Received<Message> take();
    Received<Head> take_into(std::span<std::byte> to);
    bool is_drained() const noexcept;
    ChannelResult why_not_sent(core::Ending ending) const noexcept;
    ChannelResult why_not_received(core::Ending ending) const noexcept;

    Semaphore items_;                         // messages; one more once it is closed
    Semaphore space_;                         // free units
    detail::Atomic<std::uint32_t> mutex_{0};  // 0: free; 1: held; 2: held, a thread may sleep
    detail::Atomic<std::uint32_t> state_{fresh};
    std::uint32_t capacity_ = 0;             // in units; what follows changes under the mutex
    std::uint32_t head_ = 0, tail_ = 0;      // where the first message is, and the next goes: units, modulo capacity
    detail::Atomic<std::uint32_t> used_{0};  // units of the messages in the ring
};

}  // namespace futon

#include <futon/detail/sync/byte_channel_operations.hpp>  // the operations

#include <futon/detail/end.hpp>
