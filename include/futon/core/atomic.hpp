// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <futon/detail/atomic.hpp>

namespace futon::core {

/// `std::atomic` for the words of your own primitives.
///
/// In a program that links futon::explorer it is a different type with the same functions: each operation is a point at
/// which another thread may run, and a load may miss newer stores if the memory orders allow it. So a lock whose words
/// are of this type can be explored unchanged.
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
