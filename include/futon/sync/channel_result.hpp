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

/// How an operation on a channel ended.
enum class ChannelResult : std::uint8_t {
    ok,           ///< the item was sent, or received
    closed,       ///< the channel is closed; for a receiver: and empty
    timed_out,    ///< the deadline came first
    cancelled,    ///< a stop was requested first, or the agent ended
    would_block,  ///< a try would have had to wait
};

/// "ok", "closed", "timed-out", "cancelled", "would-block".
constexpr std::string_view to_string(ChannelResult result) noexcept {
    switch (result) {
        case ChannelResult::ok:
            return "ok";
        case ChannelResult::closed:
            return "closed";
        case ChannelResult::timed_out:
            return "timed-out";
        case ChannelResult::cancelled:
            return "cancelled";
        case ChannelResult::would_block:
            return "would-block";
    }
    return "invalid";
}

/// Thrown by an access to an item that a receive did not yield, or that a send did send.
class FUTON_API NoItem : public std::bad_optional_access {
public:
    explicit NoItem(ChannelResult why) noexcept : result_(why) {}

    /// Why there is no item; `ok` if it was sent.
    ChannelResult result() const noexcept { return result_; }

    const char* what() const noexcept override {
        switch (result_) {
            case ChannelResult::ok:
                return "futon::Channel: there is no item: it was sent";
            case ChannelResult::closed:
                return "futon::Channel: there is no item: the channel is closed";
            case ChannelResult::timed_out:
                return "futon::Channel: there is no item: the deadline came first";
            case ChannelResult::cancelled:
                return "futon::Channel: there is no item: a stop came first, or the end of the agent";
            case ChannelResult::would_block:
                return "futon::Channel: there is no item: a try would have had to wait for one";
        }
        return "futon::Channel: there is no item";
    }

private:
    ChannelResult result_;
};

/// What a receive yields: an item, or why there is none.
///
///     while (auto item = co_await channel.receive_async()) use(*item);
template <class T>
class [[nodiscard]] Received {
public:
    explicit Received(T&& item) noexcept : item_(std::move(item)) {}
    explicit Received(ChannelResult failure) noexcept : result_(failure) {}

    /// Whether an item was received. If not, `result` says why.
    explicit operator bool() const noexcept { return item_.has_value(); }
    bool has_value() const noexcept { return item_.has_value(); }
    ChannelResult result() const noexcept { return result_; }

    /// The item.
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

    /// The item, or `other` if there is none.
    template <class U>
    T value_or(U&& other) && {
        return std::move(item_).value_or(std::forward<U>(other));
    }
    template <class U>
    T value_or(U&& other) const& requires std::is_copy_constructible_v<T> {
        return item_.value_or(std::forward<U>(other));
    }

private:
    template <class Self>
    static auto& item_of(Self& self) {
        if (!self.item_) [[unlikely]]
            throw NoItem(self.result_);
        return *self.item_;
    }

    std::optional<T> item_;
    ChannelResult result_ = ChannelResult::ok;
};

/// What a send yields: whether the item was sent, and if not, why.
///
/// If a blocking send or a try fails, the item is still in the caller's object. A send operation owns its item: its
/// `SendResult<T>` gives the item back.
template <class T = void>
class SendResult;

template <>
class [[nodiscard]] SendResult<void> {
public:
    explicit SendResult(ChannelResult result) noexcept : result_(result) {}

    explicit operator bool() const noexcept { return result_ == ChannelResult::ok; }
    ChannelResult result() const noexcept { return result_; }

private:
    ChannelResult result_;
};

template <class T>
class [[nodiscard]] SendResult : public SendResult<> {
public:
    SendResult() noexcept : SendResult<>(ChannelResult::ok) {}
    SendResult(ChannelResult failure, T&& item) noexcept : SendResult<>(failure), item_(std::move(item)) {}

    /// The item that was not sent.
    ///
    /// Throws  NoItem if it was sent
    T& item() & { return required(); }
    T&& item() && { return std::move(required()); }

private:
    T& required() {
        if (!item_) [[unlikely]]
            throw NoItem(result());
        return *item_;
    }

    std::optional<T> item_;
};

}  // namespace futon

#include <futon/detail/end.hpp>
