// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

// ThreadSanitizer is told in which order threads lock, so that it reports orders that can deadlock, as it does for std::mutex.
#if defined(__SANITIZE_THREAD__)
#define FUTON_TELL_LOCK_ORDER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define FUTON_TELL_LOCK_ORDER 1
#endif
#endif

#ifdef FUTON_TELL_LOCK_ORDER

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <sanitizer/tsan_interface.h>

namespace futon::detail {

/// The locks that threads hold, as far as an order of locking can be made of them.
///
/// The sanitizer knows mutexes that the thread unlocks that has locked; a lock of futon may be unlocked by any agent. So it is
/// told of no lock for longer than a call: before a thread blocks for one, that it locks those which it holds, and that
/// one, and unlocks them again, all as a reader. Readers order nothing but the locks, so no race is hidden.
///
/// What an event loop acquires without blocking is not counted: its tasks hold locks beside each other, in no order.
struct LockOrder {
    /// A lock begins here: what was known of an earlier one at the same address is forgotten.
    static constexpr void made(const void* lock) noexcept {
        if (!std::is_constant_evaluated()) __tsan_mutex_destroy(const_cast<void*>(lock), 0);
    }

    /// A lock ends here, perhaps while its owner holds it.
    ///
    /// The sanitizer is not told, for it takes the end of a mutex as a write: a static lock ends while a loop that the exit
    /// of the process left running still waits for it.
    static constexpr void ended(const void* lock) noexcept {
        if (!std::is_constant_evaluated()) unlocking(lock);
    }

    /// The calling thread may block for `lock`, or does.
    static void before_lock(const void* lock) noexcept {
        Held& held = held_by_this_thread;
        forget_released(held);
        if (held.count == 0) return;
        for (std::size_t i = 0; i < held.count; ++i) read_lock(held.locks[i].lock);
        read_lock(lock);
        read_unlock(lock);
        for (std::size_t i = held.count; i-- > 0;) read_unlock(held.locks[i].lock);
    }

    /// The calling thread holds `lock` now.
    static void locked(const void* lock) noexcept {
        Held& held = held_by_this_thread;
        forget_released(held);
        if (held.count == held.locks.size()) return;
        const std::uint64_t acquisition = acquisitions.fetch_add(1, std::memory_order_relaxed) + 1;  // orders nothing
        latest_of(lock).store(acquisition, std::memory_order_relaxed);                               // orders nothing
        held.locks[held.count++] = {lock, acquisition};
    }

    /// An agent unlocks `lock`.
    static void unlocking(const void* lock) noexcept {
        latest_of(lock).store(0, std::memory_order_relaxed);  // orders nothing
    }

private:
    struct Acquisition {
        const void* lock;
        std::uint64_t number;
    };
    struct Held {
        std::array<Acquisition, 32> locks;
        std::size_t count;
    };

    /// Of the locks that share a place only the latest acquisition counts: an order may be missed, none is invented.
    static std::atomic<std::uint64_t>& latest_of(const void* lock) noexcept {
        return latest[(reinterpret_cast<std::uintptr_t>(lock) >> 2) * 0x9e3779b97f4a7c15U >> 52];
    }

    static void forget_released(Held& held) noexcept {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < held.count; ++i) {
            const Acquisition one = held.locks[i];
            const std::uint64_t number = latest_of(one.lock).load(std::memory_order_relaxed);  // orders nothing
            if (number == one.number) held.locks[kept++] = one;
        }
        held.count = kept;
    }

    static void read_lock(const void* lock) noexcept {
        __tsan_mutex_pre_lock(const_cast<void*>(lock), __tsan_mutex_read_lock);
        __tsan_mutex_post_lock(const_cast<void*>(lock), __tsan_mutex_read_lock, 0);
    }
    static void read_unlock(const void* lock) noexcept {
        __tsan_mutex_pre_unlock(const_cast<void*>(lock), __tsan_mutex_read_lock);
        __tsan_mutex_post_unlock(const_cast<void*>(lock), __tsan_mutex_read_lock);
    }

    static inline constinit thread_local Held held_by_this_thread{};
    static inline constinit std::atomic<std::uint64_t> acquisitions{0};
    static inline constinit std::array<std::atomic<std::uint64_t>, 4096> latest{};
};

}  // namespace futon::detail

#else

namespace futon::detail {

struct LockOrder {
    static constexpr void made(const void*) noexcept {}
    static void before_lock(const void*) noexcept {}
    static void locked(const void*) noexcept {}
    static void unlocking(const void*) noexcept {}
};

}  // namespace futon::detail

#endif

#include <futon/detail/end.hpp>
