// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <futon/detail/atomic.hpp>

namespace futon::core {

/// `std::atomic`, for the words of a lock of one's own.
///
/// In a program that links futon::explorer it is another type of the same functions, whose every operation is a point where
/// another thread may run and whose loads may miss newer stores where the orders allow it; so a lock that keeps its words in
/// it can be explored as it is.
template <class T>
using Atomic = detail::Atomic<T>;

/// `std::atomic_ref`, likewise.
template <class T>
using AtomicRef = detail::AtomicRef<T>;

/// `std::atomic_thread_fence(std::memory_order_seq_cst)`, likewise.
inline void fence_seq_cst() noexcept {
    detail::fence_seq_cst();
}

}  // namespace futon::core

#include <futon/detail/end.hpp>
