// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstdint>

namespace futon::detail {

/// The bits of a channel's word. Not in the template, because debug information lacks a template's constants.
struct ChannelBits {
    // The word, by its bits. One of them locks the channel; the others are set and cleared under that lock.
    //
    //     bit            means                                         set by                      cleared by
    //     busy           a thread changes the channel                  each section                its end
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
    static constexpr std::uint32_t busy = 32;
};

}  // namespace futon::detail

#include <futon/detail/end.hpp>
