// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstdint>

namespace futon::detail {

/// The bits of a channel's word. Not in the template, because debug information lacks a template's constants.
struct ChannelBits {
    // The word, by its bits. All are set and cleared under the queue's lock.
    //
    //     bit            means                                         set by                      cleared by
    //     closed         no item is sent any more                      close                       never
    //     has_receivers  a receiver may be queued; never clear         a receiver's check that     a search that found none;
    //                    while one is, unless closed                   must wait                   close
    //     has_senders    the same for senders                          a sender's check            the same
    //     has_items      an item is there: a hint to tries              each change of the items    the same
    //     has_room       the buffer has room: a hint to tries           each change of the items    the same
    static constexpr std::uint32_t closed = 1;
    static constexpr std::uint32_t has_receivers = 2;
    static constexpr std::uint32_t has_senders = 4;
    static constexpr std::uint32_t has_items = 8;
    static constexpr std::uint32_t has_room = 16;
};

}  // namespace futon::detail

#include <futon/detail/end.hpp>
