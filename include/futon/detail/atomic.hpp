// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <atomic>

#if !defined(__cpp_lib_atomic_ref)
#error "futon needs std::atomic_ref: libstdc++, or libc++ from 19 on"
#endif

/// Where all atomics of the library come from.
///
/// A build that explores schedules puts another file of this name first on its include path, whose atomics are driven by a
/// scheduler. Nothing else in the library names `std::atomic` for a word that threads race on.
namespace futon::detail {

template <class T>
using Atomic = std::atomic<T>;

template <class T>
using AtomicRef = std::atomic_ref<T>;

/// Orders the announcement of a waiter against the load of its word, and the change of a word against the search for
/// waiters. It carries no data: the locks order what waiters read.
inline void fence_seq_cst() noexcept {
    std::atomic_thread_fence(std::memory_order_seq_cst);
}

}  // namespace futon::detail

#include <futon/detail/end.hpp>
