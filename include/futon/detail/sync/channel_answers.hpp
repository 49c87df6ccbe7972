// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <string_view>
#include <type_traits>
#include <utility>

#include <futon/sync/channel_result.hpp>

// The names of a ChannelResult, and how an item is taken out of the result of a send or a receive.
namespace futon {

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

inline const char* NoItem::what() const noexcept {
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

template <class T>
template <class U>
inline T Received<T>::value_or(U&& other) && {
    return std::move(item_).value_or(std::forward<U>(other));
}

template <class T>
template <class U>
inline T Received<T>::value_or(U&& other) const& requires std::is_copy_constructible_v<T> {
    return item_.value_or(std::forward<U>(other));
}

template <class T>
template <class Self>
inline auto& Received<T>::item_of(Self& self) {
    if (!self.item_) [[unlikely]]
        throw NoItem(self.result_);
    return *self.item_;
}

template <class T>
inline T& SendResult<T>::required() {
    if (!item_) [[unlikely]]
        throw NoItem(result());
    return *item_;
}

}  // namespace futon

#include <futon/detail/end.hpp>
