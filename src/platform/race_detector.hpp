// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>

#include <futon/detail/atomic.hpp>

namespace futon::platform {

// A program may be built with ThreadSanitizer while the library that it links, such as an installed one, was not. Then
// the sanitizer does not see the library's atomics, and would report accesses that they order as races. So the library
// tells it wherever one thread hands something over to another:
//
// - an atomic that only the library's own code uses is used as `told(atomic)`;
// - an operation that is done has acquired at its key: the cycle of operations says so (core/operation.hpp);
// - a change that may wake waiters has released at the queue's address: `WakeVisitor`s are told of by the table;
// - what a stop token orders is in stop_order.hpp.
//
// The names below are the sanitizer's, and are null in a program without it. They are resolved when the program is linked
// or loaded, so the library need not know.

#if defined(__ELF__) && defined(__GNUC__)

extern "C" {
[[gnu::weak]] void __tsan_acquire(void* object);
[[gnu::weak]] void __tsan_release(void* object);
}

/// Whether the program is built with the sanitizer.
inline bool is_race_detected() noexcept {
    return __tsan_acquire != nullptr;
}

/// What any thread released at this address happens before what comes now. Called after the load that saw it.
inline void note_acquire(const void* object) noexcept {
    if (__tsan_acquire != nullptr) [[unlikely]]
        __tsan_acquire(const_cast<void*>(object));
}

/// What comes before this happens before what follows a `note_acquire` of this address. Called before the store that
/// publishes it.
inline void note_release(const void* object) noexcept {
    if (__tsan_release != nullptr) [[unlikely]]
        __tsan_release(const_cast<void*>(object));
}

#else

inline constexpr bool is_race_detected() noexcept {
    return false;
}
inline void note_acquire(const void*) noexcept {}
inline void note_release(const void*) noexcept {}

#endif

/// An atomic, with what its orders mean told to the race detector.
///
/// Once a value is exchanged, the object may be over for another thread, and be freed: a loop ends with the job that stops
/// it. So a compare-and-exchange has acquired before it succeeds. What others released came before `expected` was read.
template <class T>
class Told {
    using Order = std::memory_order;
    static constexpr Order strongest = std::memory_order_seq_cst;

public:
    explicit Told(detail::Atomic<T>& atomic) noexcept : atomic_(atomic) {}

    /// The object is not over for others whatever was there before.
    T exchange(T value, Order order = strongest) const noexcept {
        if (releases(order)) note_release(&atomic_);
        const T before = atomic_.exchange(value, order);
        if (acquires(order)) note_acquire(&atomic_);
        return before;
    }
    bool compare_exchange_strong(T& expected, T desired, Order order = strongest,
                                 Order failure = strongest) const noexcept {
        return in_order(order, failure,
                        [&] { return atomic_.compare_exchange_strong(expected, desired, order, failure); });
    }
    bool compare_exchange_weak(T& expected, T desired, Order order = strongest,
                               Order failure = strongest) const noexcept {
        return in_order(order, failure,
                        [&] { return atomic_.compare_exchange_weak(expected, desired, order, failure); });
    }

private:
    static bool acquires(Order order) noexcept {
        return order != std::memory_order_relaxed && order != std::memory_order_release;
    }
    static bool releases(Order order) noexcept {
        return order != std::memory_order_relaxed && order != std::memory_order_acquire;
    }

    template <class Change>
    bool in_order(Order order, Order failure, Change change) const noexcept {
        if (acquires(order)) note_acquire(&atomic_);
        if (releases(order)) note_release(&atomic_);
        if (change()) return true;
        if (acquires(failure)) note_acquire(&atomic_);
        return false;
    }

    detail::Atomic<T>& atomic_;
};

/// The same atomic, for code that is not inline:
///
///     platform::told(phase_).exchange(Phase::idle);
template <class T>
Told<T> told(detail::Atomic<T>& atomic) noexcept {
    return Told<T>(atomic);
}

}  // namespace futon::platform
