// SPDX-License-Identifier: MIT
//
// [slots] Readers of a SharedLock that are not counted in its word, so that they share no cache line.
#include <algorithm>
#include <chrono>
#include <cstdint>

#include <futon/detail/reader_slots.hpp>
#include <futon/detail/sync/shared_lock_word.hpp>
#include <futon/detail/this_thread.hpp>

#include "platform/clock.hpp"
#include "platform/fork.hpp"
#include "platform/race_detector.hpp"
#include "platform/spin.hpp"
#include "queue/copies.hpp"

namespace futon::detail {

namespace {

// A revocation costs a writer some hundred nanoseconds, and readers use slots again only after so many times as long: so
// writers lose a small share of their time to it, however often they come.
constexpr std::uint64_t pause_factor = 16;
constexpr std::uint64_t shortest_pause = 100'000;    // ns
constexpr std::uint64_t longest_pause = 20'000'000;  // however long the revoker had no processor

std::uint64_t now() noexcept {
    return static_cast<std::uint64_t>(platform::shared_now().count());
}

Atomic<std::uint64_t>& pause_of(const void* lock) noexcept {
    return core::common_reader_slots().pause_for(lock).until;
}

void pause_after(const void* lock, std::uint64_t begun) noexcept {
    if constexpr (!ReaderLimits::is_automatic) return;
    const std::uint64_t end = now();
    const std::uint64_t pause = std::clamp((end - begun) * pause_factor, shortest_pause, longest_pause);
    pause_of(lock).store(end + pause, std::memory_order_relaxed);  // a hint
}

/// How many lines threads use. A later thread sees that `biased` is clear: it asks for its line before it writes there,
/// and reads the word after that. [slots]
std::uint64_t used_lines() noexcept {
    if constexpr (!ReaderLimits::is_automatic) return ReaderLimits::lines;
    return std::min<std::uint64_t>(core::common_reader_slots().threads.load(), ReaderLimits::lines);
}

// [fork] What other threads of the parent read they do not read in the child, which could not end it.
FUTON_EARLY const platform::ChildHandler forgets_others([]() noexcept {
    for (ReaderLine& line : core::common_reader_slots().lines)
        if (&line != *core::common_reader_line())
            for (ReaderLine::Slot& slot : line.all) slot.store(nullptr, std::memory_order_relaxed);  // one thread
});

}  // namespace

ReaderLine* reader_line(std::uint64_t number) noexcept {
    return &core::common_reader_slots().lines[number % ReaderLimits::lines];
}

/// Asks once for each thread and copy of the library.
bool SharedLockWord::take_beside_slots(Way way) noexcept {  // NOLINT(misc-no-recursion): as take_slot
    if (this_reader_line() == nullptr) {
        ReaderLine*& line = *core::common_reader_line();
        if (line == nullptr) line = reader_line(core::common_reader_slots().threads.fetch_add(1));
        set_reader_line(line);
        if (!take_slot(way)) return false;
        platform::note_acquire(&word_);
        return true;
    }
    // Another lock is in the slot, or this lock once more.
    if (!take_contended(rules, shared_mode)) return false;
    core::probe::acquired(this, Hold::shared, 1, way);
    return true;
}

/// The word says that a revocation has begun, or a waiter has come, or a writer spins. Where a revoker has counted this reader, it holds the lock.
bool SharedLockWord::keep_slot(ReaderLine::Slot& slot, Way way) noexcept {
    const void* held = this;
    if (slot.compare_exchange_strong(held, nullptr)) return false;
    platform::note_acquire(&word_);
    core::probe::acquired(this, Hold::shared, 1, way);
    return true;
}

/// This reader has met another one. Asks the clock seldom.
void SharedLockWord::consider_slots() noexcept {
    if constexpr (!ReaderLimits::is_automatic) return;
    if (draw() % 16 != 0) return;
    const std::uint64_t until = pause_of(this).load(std::memory_order_relaxed);  // a hint
    if (until == 0 || now() >= until) prefer_slots();
}

bool SharedLockWord::prefer_slots() noexcept {
    constexpr State few = 1U << 20;
    Bits seen = word_.load();
    while ((seen & ~(strict | Bits{readers | upgradeable})) == 0 && (seen & readers) != 0 && (seen & readers) < few)
        if (word_.compare_exchange_weak(seen, seen | biased)) return true;
    return false;
}

void SharedLockWord::revoke_slots_for(Mode mode) noexcept {
    if (mode == exclusive_mode || (state() & readers) >= few_readers) revoke_slots();
}

/// Several threads may revoke at once, and none waits for another: the first that has seen all slots clears `revoking`.
/// While one of the others is not at its end, the slots are not used again, so none mistakes a later revocation for its own.
// NOLINTNEXTLINE(misc-no-recursion): an unlock of a hold in another thread's slot revokes, at most once for each slot
void SharedLockWord::revoke_slots() noexcept {
    Bits seen = word_.load();
    do {
        while ((seen & revokers) == revokers && (seen & in_slots) != 0) {
            platform::spin_pause();  // more than seven at once, each on a processor or soon on one
            seen = word_.load();
        }
        if ((seen & in_slots) == 0) return;
    } while (!word_.compare_exchange_weak(seen, ((seen & ~Bits{biased}) | revoking) + one_revoker));
    const bool is_first = (seen & biased) != 0;
    const std::uint64_t begun = is_first && ReaderLimits::is_automatic ? now() : 0;
    const std::uint64_t lines = used_lines();
    bool goes_on = true;
    for (std::uint64_t i = 0; i < lines && goes_on; ++i)
        for (ReaderLine::Slot& slot : core::common_reader_slots().lines[i].all) {
            const void* const held = slot.load();
            platform::note_acquire(&slot);  // of a reader that has left
            if (held == this && !count_slot(slot)) goes_on = false;
        }
    if (is_first) pause_after(this, begun);
    release_reader(from_slots, core::Handoff::when_due);
}

/// Counts the reader in a slot before it empties the slot: so it is never uncounted. Returns false if another revoker has
/// ended the revocation: then all readers are counted, and the lock may be held exclusively.
// NOLINTNEXTLINE(misc-no-recursion): as revoke_slots
bool SharedLockWord::count_slot(ReaderLine::Slot& slot) noexcept {
    Bits seen = word_.load();
    do
        if ((seen & revoking) == 0) return false;
    while (!word_.compare_exchange_weak(seen, seen + one_reader));
    const void* held = this;
    if (!slot.compare_exchange_strong(held, nullptr)) {
        platform::note_acquire(&slot);
        release_reader(shared_mode, core::Handoff::when_due);  // it has left meanwhile
    }
    return true;
}

}  // namespace futon::detail
