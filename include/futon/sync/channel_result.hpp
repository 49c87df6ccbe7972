// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include <futon/detail/export.hpp>

namespace futon {

/// How an operation on a channel ended. `Received` and `SendResult` convert to bool, which is enough for most programs.
/// Compare them with this if the reasons matter, or ask them for it.
///
///     const auto sent = jobs.try_send(std::move(job));
///     if (sent == futon::ChannelResult::would_block) drop(job);
enum class ChannelResult : std::uint8_t {
    ok,           ///< the item was sent, or received
    closed,       ///< the channel is closed; for a receiver: and empty
    timed_out,    ///< the deadline came first
    cancelled,    ///< a stop was requested first, or the agent ended
    would_block,  ///< a try would have had to wait
};

/// "ok", "closed", "timed-out", "cancelled", "would-block": for logs. Compare the enumerators, not these.
///
///     log("no job:", to_string(received.result()));
constexpr std::string_view to_string(ChannelResult result) noexcept;

/// Thrown by an access to an item that a receive did not yield, or that a send did send. It means a mistake: ask the
/// result before. It is a std::bad_optional_access, so that code written for optionals catches it.
class FUTON_API NoItem : public std::bad_optional_access {
public:
    explicit NoItem(ChannelResult why) noexcept : result_(why) {}

    /// Why there is no item: `ok` if it was sent; else what `Received` or `SendResult` would say.
    ChannelResult result() const noexcept { return result_; }

    /// A sentence that says why.
    inline const char* what() const noexcept override;

private:
    ChannelResult result_;
};

/// What a receive yields: an item, or why there is none. Use it as an optional. A loop that receives as long as there is
/// an item ends when the channel is closed and empty.
///
///     while (auto item = co_await channel.receive_async()) use(*item);
///     Settings settings = updates.try_receive().value_or(defaults);
template <class T>
class [[nodiscard]] Received {
public:
    /// A channel makes it, of the item or of the reason.
    explicit Received(T&& item) noexcept : item_(std::move(item)) {}
    explicit Received(ChannelResult failure) noexcept : result_(failure) {}

    /// Whether an item was received. If not, `result` says why.
    explicit operator bool() const noexcept { return item_.has_value(); }
    bool has_value() const noexcept { return item_.has_value(); }

    /// `ok` if there is an item; else `closed`, `timed_out` or `cancelled`, and of a try `would_block`.
    ChannelResult result() const noexcept { return result_; }

    /// Whether it ended so. An item that is itself a ChannelResult is not compared: ask `result`, or the item.
    friend bool operator==(const Received& received, ChannelResult result) noexcept
        requires(!std::is_same_v<T, ChannelResult>) {
        return received.result_ == result;
    }

    /// The item. It stays here until it is moved out: `use(*std::move(received))`.
    ///
    /// Throws  NoItem, which says why, if there is none. A receive may fail even if `select` chose it: its channel may
    ///         be the one that closed
    T& value() & { return item_of(*this); }
    const T& value() const& { return item_of(*this); }
    T&& value() && { return std::move(item_of(*this)); }
    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T&& operator*() && { return std::move(*this).value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }

    /// The item, or `other` if there is none, whatever the reason. To notice the end of the channel, ask `result`.
    template <class U>
    T value_or(U&& other) &&;
    template <class U>
    T value_or(U&& other) const& requires std::is_copy_constructible_v<T>;

private:
    template <class Self>
    static auto& item_of(Self& self);

    std::optional<T> item_;
    ChannelResult result_ = ChannelResult::ok;
};

/// What a send yields: whether the item was sent, and if not, why. Look at it: a channel may be closed while a sender
/// waits, and an item that is not sent has no receiver.
///
/// If a blocking send or a try fails, the item is still in the caller's object. A send operation owns its item: its
/// `SendResult<T>` gives the item back.
///
///     if (auto sent = co_await jobs.send_async(std::move(job), 5ms); !sent) run_here(std::move(sent).item());
template <class T = void>
class SendResult;

/// Of a blocking send or a try, and of `sending_from`.
template <>
class [[nodiscard]] SendResult<void> {
public:
    explicit SendResult(ChannelResult result) noexcept : result_(result) {}

    /// Whether the item was sent. If not, `result` says why.
    explicit operator bool() const noexcept { return result_ == ChannelResult::ok; }

    /// `ok` if it was sent; else `closed`, `timed_out` or `cancelled`, and of a try `would_block`.
    ChannelResult result() const noexcept { return result_; }

    /// Whether it ended so.
    friend bool operator==(const SendResult& sent, ChannelResult result) noexcept { return sent.result_ == result; }

private:
    ChannelResult result_;
};

/// Of `sending` and `send_async`: has the item if it was not sent.
template <class T>
class [[nodiscard]] SendResult : public SendResult<> {
public:
    /// An operation makes it: for an item that was sent, or of the reason and the item.
    SendResult() noexcept : SendResult<>(ChannelResult::ok) {}
    SendResult(ChannelResult failure, T&& item) noexcept : SendResult<>(failure), item_(std::move(item)) {}

    /// The item that was not sent, for another try or another channel.
    ///
    /// Throws  NoItem if it was sent
    T& item() & { return required(); }
    T&& item() && { return std::move(required()); }

private:
    T& required();

    std::optional<T> item_;
};

}  // namespace futon

#include <futon/detail/sync/channel_answers.hpp>  // names, and how an item is taken out

#include <futon/detail/end.hpp>
