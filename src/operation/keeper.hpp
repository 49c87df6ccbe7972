// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <futon/detail/atomic.hpp>
#include <futon/detail/chrono.hpp>

#include "platform/parker.hpp"

namespace futon::core {

/// Looks after queues that wait for a task whose loop may not run. It is a thread of the library, so no waiter has to
/// leave its place to do this. It is made when it is first needed, ticks while a queue is kept, and sleeps otherwise.
///
/// The keeper knows only the address of a queue. A kept queue has a mark (see WakeVisitor::mark), so the keeper never
/// mistakes another queue for it, even if the queue has ended or the word's memory was reused.
///
/// Threads  any, for `keep`, which takes no lock; the first makes the thread
class Keeper {
public:
    /// Looks at the queue at this address, if it has its primitive's mark. Returns whether to keep the queue for
    /// another tick.
    using Look = bool (*)(const void* address, const void* rules) noexcept;

    /// The time from one tick to the next. A queue is left alone for at least one tick.
    static constexpr std::chrono::milliseconds tick{1};

    constexpr Keeper() noexcept = default;

    /// Looks after the queue at this address from now on, if it has the mark. Returns false if it cannot: no thread can
    /// be made, or too many queues are kept.
    [[gnu::cold]] bool keep(const void* address, Look examine, const void* rules) noexcept;

    /// Looks at all queues that are kept. Returns whether there was one. For the keeper's thread, and for tests, one at a time.
    [[gnu::cold]] bool look() noexcept;

    /// For a child, in which the keeper's thread does not exist: the kept queues are the parent's. [fork]
    void begin_anew() noexcept;

private:
    static constexpr std::size_t slot_count = 1024;
    static constexpr int idle_ticks = 2;  // before it sleeps; each costs a core what some threads compute in 20 µs

    /// Zero: free. The lowest bit says that the queue was noted after the keeper began to look at it.
    using Address = std::uintptr_t;
    static constexpr Address is_noted = 1;

    struct Slot {
        detail::Atomic<Address> address{0};
        detail::Atomic<Look> look{nullptr};  // published by the address
        detail::Atomic<const void*> rules{nullptr};
    };
    enum class Thread : std::uint8_t { none, starting, ticks, sleeps };

    [[gnu::cold]] bool note(const void* address, Look examine, const void* rules) noexcept;
    [[gnu::cold]] bool has_any() const noexcept;
    [[gnu::cold]] bool ensure_runs() noexcept;
    [[gnu::cold]] void let_all_try() noexcept;
    [[gnu::cold]] static void run(void* self) noexcept;

    std::array<Slot, slot_count> slots_{};
    detail::Atomic<std::size_t> used_{0};  // no slot from here on has ever been used
    detail::Atomic<Thread> thread_{Thread::none};
    platform::Parker* parker_ = nullptr;  // on the thread's stack
};

/// The keeper of this copy of the library.
Keeper& keeper() noexcept;

}  // namespace futon::core
