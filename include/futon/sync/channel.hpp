// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

#include <futon/core/driver/await.hpp>
#include <futon/core/probe.hpp>
#include <futon/detail/stop_token.hpp>
#include <futon/detail/sync/channel_party.hpp>
#include <futon/detail/sync/channel_state.hpp>
#include <futon/limits.hpp>
#include <futon/sync/channel_result.hpp>

namespace futon {

/// A bounded queue of items from many senders to many receivers: threads that may block, and event loops that must not.
/// Use it to hand work or results to another thread or task, and to slow senders down when receivers are behind. For a
/// signal without an item use `AutoResetEvent`; for one result, `PromiseSource`.
///
///     futon::Channel<Job> jobs(64);
///     if (!jobs.send(std::move(job))) ...                        // a thread: blocks while the channel is full
///     for (Job& job : jobs.items()) run(job);                    // a thread: until the channel is closed and empty
///     while (auto job = co_await jobs.receive_async()) ...       // a coroutine: the same
///
/// With a capacity of 0 there is no buffer: a send ends when a receiver has taken the item.
///
/// | way       | send                                  | receive                          | agents                     |
/// |-----------|---------------------------------------|----------------------------------|----------------------------|
/// | try       | try_send(item)                        | try_receive()                    | any                        |
/// | blocking  | send(item, limits)               | receive(limits), items()    | that may block             |
/// | awaitable | send_async(item, limits)         | receive_async(limits)       | coroutines                 |
/// | operation | sending(item), sending_from(object)   | receiving()                      | `select`, `promise_of`     |
///
/// Items     are received in the order in which they were sent, each once. A send that fails leaves the item with its
///           sender: a try or a blocking send in the caller's object, an operation in its result.
/// Closing   `close` ends sending: waiting senders and all later ones fail at once. Receivers get what was sent before,
///           then `closed`.
/// Fairness  waiting senders are served in queue order, and so are waiting receivers. An item goes straight to the
///           first waiting receiver, so a loop that does not run holds at most one item per receiver.
/// Cancel    if an item was handed off to a receiver that is gone before it runs (a destroyed coroutine, a dropped
///           promise, an ended agent), it goes to the next receiver, or back to its place before later items. That
///           takes an allocation; if there is no memory, the program ends. A send whose item was taken has happened,
///           even if its coroutine is destroyed before it resumes.
/// Select    a select never sends to its own receive: its operations on one channel do not meet. Exactly one of them
///           completes, as with any select.
/// Ordering  everything before a send happens before everything after the receive of its item; everything before
///           `close` happens before everything after a `closed`.
/// Threads   any, for all functions. `T` is moved, and a moved-from `T` destroyed, under a lock of the library: neither
///           may throw, block, or use futon. A `T` that holds an item is never destroyed there.
/// Cost      64 bytes, and the buffer, which is allocated once. A send or receive that need not wait takes one short
///           lock. A thread that must wait spins for up to ten microseconds, yielding as it does, before it sleeps;
///           with capacity 0, or again, only if its last sleep was short; beside a thread that computes, not at all
/// Requires  moving a `T` does not throw. The channel does not move. It outlives its waiting senders and receivers, and
///           every item that was handed off until it is received or given back.
template <class T>
class Channel {
    static_assert(
        std::is_object_v<T> && std::is_nothrow_move_constructible_v<T> && std::is_nothrow_destructible_v<T>,
        "futon::Channel<T>: moving a T must not throw, for it may be handed off; a std::unique_ptr<T> never does");

    using State = detail::ChannelState<T>;
    using Party = detail::ChannelParty<T>;

    template <class Item>
    class SendOperation;

public:
    class Receiving;
    class Items;
    /// The operations that send: `Sending` owns its item; the other refers to an item that stays the caller's until it
    /// is sent.
    using Sending = SendOperation<std::optional<T>>;
    using SendingFrom = SendOperation<T*>;
    using value_type = T;

    /// Makes a channel with room for `capacity` items. With 0, each sender waits for a receiver.
    ///
    /// Throws  std::length_error if no memory could hold so many items; std::bad_alloc
    explicit Channel(std::size_t capacity = 0) : state_(capacity) {}
    Channel(const Channel&) = delete;
    Channel& operator=(const Channel&) = delete;

    /// Sends if there is room or a receiver waits, and never waits itself. Any agent.
    ///
    /// Returns  `ok`, `closed` or `would_block`. Unless it is `ok`, `item` is unchanged
    SendResult<> try_send(T&& item) noexcept;
    SendResult<> try_send(const T& item) requires std::is_copy_constructible_v<T> { return try_send(T(item)); }

    /// Receives if there is an item or a sender waits, and never waits itself. Any agent.
    ///
    /// Returns  an item, or `closed` or `would_block`
    Received<T> try_receive() noexcept;

    /// Blocks until the item is sent, the channel is closed, or the limits are over.
    ///
    /// Returns  `ok`, `closed`, `timed_out` or `cancelled`. Unless it is `ok`, `item` is unchanged
    /// Threads  agents that may block.
    /// Throws   BlockingForbidden if the agent may not block, even if the call need not wait
    SendResult<> send(T&& item, const Limits& limits = {});
    SendResult<> send(const T& item, const Limits& limits = {}) requires std::is_copy_constructible_v<T> {
        return send(T(item), limits);
    }

    /// Blocks until there is an item, the channel is closed and empty, or the limits are over.
    ///
    /// Returns  an item, or `closed`, `timed_out` or `cancelled`
    /// Threads  as `send`
    /// Throws   as `send`
    Received<T> receive(const Limits& limits = {});

    /// `send` and `receive` for coroutines, on the agent that awaits. `co_await` gives a `SendResult<T>` and a
    /// `Received<T>`. Neither suspends if it need not wait, so a loop over items that are always there runs nothing else
    /// on its event loop: yield in it after every n items, by `co_await futon::sleep_for(0ms)`.
    ///
    /// Cost    allocates nothing
    /// Throws  when awaited: NoExecutor if the thread has no executor, or if there is a deadline and the executor keeps
    ///         no timers; std::logic_error if it was awaited before
    core::Await<Sending> send_async(T item, Limits limits = {}) {
        return core::await(sending(std::move(item)), std::move(limits));
    }
    core::Await<Receiving> receive_async(Limits limits = {}) { return core::await(receiving(), std::move(limits)); }

    /// `send` and `receive` as operations, for `select`, `promise_of` and the drivers of `core`. A send owns its item
    /// and gives it back in its result if it was not sent. An operation that is dropped unused drops its item.
    ///
    /// `sending_from` does not own the item: it stays in the caller's object unless it is sent. Use it in a select that
    /// may choose another operation.
    ///
    /// Requires  the object outlives the operation
    Sending sending(T item) noexcept { return Sending(state_, std::optional<T>(std::move(item))); }
    SendingFrom sending_from(T& item) noexcept { return SendingFrom(state_, &item); }
    Receiving receiving() noexcept { return Receiving(state_); }

    /// Ends sending: see Closing. A second call does nothing. Any agent.
    void close() noexcept { state_.close(); }
    bool is_closed() const noexcept { return state_.is_closed(); }

    /// How many items fit without a receiver; 0 if each sender waits for a receiver.
    std::size_t capacity() const noexcept { return state_.capacity(); }

    /// How many items it holds now. Takes a short lock.
    std::size_t size() const noexcept { return state_.size(); }

    /// A range for a thread that may block: each step receives an item, which then belongs to the loop body. The range
    /// ends when the channel is closed and empty, or at the first step after a stop is requested: the channel keeps the
    /// items that it has then. Threads and Throws as `receive`.
    Items items(std::stop_token stop = {}) noexcept { return Items(*this, std::move(stop)); }

private:
    mutable State state_;
    [[no_unique_address]] core::probe::Lifetime lifetime_;
};

}  // namespace futon

#include <futon/detail/sync/channel_misuse.hpp>      // a near miss, which does not compile
#include <futon/detail/sync/channel_operations.hpp>  // how it sends and receives

#include <futon/detail/end.hpp>
