// SPDX-License-Identifier: MIT
#include <futon/sync/once.hpp>

#include <stdexcept>
#include <system_error>

#include <futon/core/driver/block.hpp>

#include "base/error.hpp"
#include "sync/releasing.hpp"

namespace futon {

/// Released waiters are done, or try again. After a failed attempt each of them could be a task whose loop does not
/// run, so all are woken and none is relied on. No other thread changes the word meanwhile: while an attempt is under
/// way, waiters are noted only under the queue's lock.
void Once::release_all(std::uint32_t next) noexcept {
    const auto token = next == done ? core::WakeToken::handed_off : core::WakeToken::none;
    detail::release_all(&word_, token, [this, next]() noexcept {
        word_.store(next, std::memory_order_release);  // [signal]
    });
}

/// The check "another caller initialises". If so, notes that a waiter is queued; else the Once is done, or this begins
/// it for the waiter. [check]
bool Once::must_wait(void* word, std::uint64_t is_mine) noexcept {
    bool& is_begun_here = *reinterpret_cast<bool*>(static_cast<std::uintptr_t>(is_mine));
    auto& state = *static_cast<detail::Atomic<std::uint32_t>*>(word);
    std::uint32_t seen = state.load(std::memory_order_acquire);  // [signal]
    is_begun_here = false;
    while (seen != done) {
        const std::uint32_t next = seen == 0 ? begun : seen | has_waiters;
        if (state.compare_exchange_weak(seen, next, std::memory_order_acquire)) {  // [signal]
            is_begun_here = next == begun;
            if (is_begun_here) break;
            return true;
        }
    }
    return false;
}

/// The calls of this thread, the latest first. Fibers of an exploration share the list, so each call names its own.
Once::Running*& Once::Running::latest() noexcept {
    static thread_local constinit Running* latest = nullptr;
    return latest;
}

Once::Running::Running(const Once& once) noexcept
    : once_(once), thread_(&detail::this_agent_slot()), next_(std::exchange(latest(), this)) {}

Once::Running::~Running() {
    Running** link = &latest();
    while (*link != this) link = &(*link)->next_;
    *link = next_;
}

void Once::require_no_recursion(const char* operation) const {
    const void* const thread = &detail::this_agent_slot();
    for (const Running* running = Running::latest(); running != nullptr; running = running->next_)
        if (&running->once_ == this && running->thread_ == thread)
            detail::throw_error(std::errc::resource_deadlock_would_occur, operation,
                                "its initialiser, which this thread runs, waits for it");
}

Once::Attempt Once::begin_as(const char* operation, const Limits& limits) {
    if (!detail::this_thread_can_block()) [[unlikely]]
        detail::throw_blocking_forbidden(operation);
    if (!is_done()) require_no_recursion(operation);
    return core::block(beginning(), limits);
}

void Once::Attempt::throw_not_begun() {
    throw std::logic_error("futon::Once::Attempt::complete: the attempt is not the caller's");
}

}  // namespace futon
