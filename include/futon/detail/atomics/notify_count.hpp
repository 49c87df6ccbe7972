// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <concepts>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <utility>

#include <futon/core/queue/wait_table.hpp>

namespace futon {

using core::everyone;

namespace detail {

template <class I>
concept CountingInteger =
    std::integral<I> && !std::same_as<I, bool> && !std::same_as<I, char> && !std::same_as<I, wchar_t> &&
    !std::same_as<I, char8_t> && !std::same_as<I, char16_t> && !std::same_as<I, char32_t>;

/// How many waiters to wake, of any integer type: what is negative is none. So is what has wrapped around, but for the greatest
/// number of an unsigned type, which is `everyone`.
///
/// Spec  Atomics.notify: the larger of the count and zero.
class NotifyCount {
public:
    template <CountingInteger I>
    constexpr NotifyCount(I count) noexcept : value_(to_size(count)) {}

    constexpr std::size_t value() const noexcept { return value_; }

private:
    template <class I>
    static constexpr std::size_t to_size(I count) noexcept {
        if constexpr (std::unsigned_integral<I> && sizeof(I) >= sizeof(int)) {
            if (count == std::numeric_limits<I>::max()) return everyone;
            // A difference that is below zero has wrapped around.
            return std::in_range<std::make_signed_t<I>>(count) && std::in_range<std::size_t>(count)
                       ? static_cast<std::size_t>(count)
                       : 0;
        } else {
            return std::cmp_greater(count, 0) ? static_cast<std::size_t>(count) : 0;
        }
    }

    std::size_t value_;
};

}  // namespace detail

}  // namespace futon

#include <futon/detail/end.hpp>
