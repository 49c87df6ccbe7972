// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstddef>
#include <cstdint>

#include <futon/core/operation/arbiter.hpp>
#include <futon/core/probe.hpp>
#include <futon/detail/export.hpp>
#include <futon/detail/reader_slots.hpp>
#include <futon/detail/this_thread.hpp>
#include <futon/fairness.hpp>

namespace futon::detail {

/// The state of a SharedLock.
struct SharedLockState {
    using State = core::ResourceState;

    // The state, which is the lower half of the word; the upper half is the arbiter's.
    //
    //     bit          means                               set by                           cleared by
    //     readers      how many hold it shared (23 bits);  each reader that locks it        each reader that unlocks it
    //                  never all ones while it is held
    //     awaited      a hint: a writer spins until the   that writer, while readers are  any writer that no longer spins;
    //                  readers have left                  left                            who takes the lock exclusively; a
    //                                                                                     reader that has spun in vain
    //     revokers     how many revoke `biased` now        a revoker, when it begins        the same, when it ends
    //     revoking     readers may be left in slots        the first revoker                the first revoker that ends
    //     biased       readers may use slots [slots]       a reader that holds it           the first revoker
    //                  upgradeable, so that the holder
    //                  may become a reader [room]
    //     upgrading    the holder of `upgradeable` waits,  its check, under the lock of     its acquisition; its end in vain;
    //                  or did until now: no new readers    the upgrade's queue [upgrading]  a release that makes it an offer
    //     upgradeable  held upgradeable, maybe shared too  a caller that finds it clear;    its holder; an upgrade
    //                                                      a downgrade
    //     exclusive    held exclusively; all else clear    a caller that finds all clear;   its holder
    //                                                      an upgrade; a handoff
    //
    // [slots] A reader that threads hold is in a slot (see reader_slots.hpp) or counted in `readers`, each in one of them. With
    // `biased` or `revoking` the lock counts as held shared, though no reader may be left. Who needs to know clears `biased`,
    // moves what the slots hold into `readers`, and clears `revoking` as a reader leaves.
    //
    // `awaited` refuses nothing: a reader that blocks spins while it is set, and then takes what it may take.
    //
    // An upgrade must not wait behind a writer that waits for it, so it has its own queue, at the address of the upper
    // half. [upgrading] While `upgrading` is set, the waiter is in that queue or about to clear the bit; the release
    // that finds no reader left serves it. If the waiter is a task, the release clears `upgrading` and makes an offer,
    // as the arbiter does: so its loop keeps readers out no longer than an offer lasts.
    static constexpr State readers = (1U << 23) - 1;
    static constexpr State one_reader = 1;
    static constexpr State awaited = 1U << 23;
    static constexpr State one_revoker = 1U << 24;
    static constexpr State revokers = 7U << 24;
    static constexpr State revoking = 1U << 27;
    static constexpr State biased = 1U << 28;
    static constexpr State in_slots = revoking | biased;
    static constexpr State upgrading = 1U << 29;
    static constexpr State upgradeable = 1U << 30;
    static constexpr State exclusive = 1U << 31;

    /// The amount of a request; from `to_shared` on, what a downgrade gives back.
    enum Mode : std::uint64_t {
        shared_mode = 1,
        upgradeable_mode,
        exclusive_mode,
        to_shared,
        to_upgradeable,
        from_upgradeable,
        from_slots,
    };

    /// The most readers that are moved from slots at a time, and some; there must be room for them. [room]
    static constexpr State most_in_slots = 4096;
};

/// The modes of a SharedLock as the resource of an arbiter: which holds are compatible.
struct FUTON_API SharedLockRules : SharedLockState {
    using Word = std::uint64_t;
    static bool can_serve(State state, std::uint64_t mode) noexcept;
    static State taken(State state, std::uint64_t mode) noexcept;
    static State returned(State state, std::uint64_t mode) noexcept;
    static bool may_serve(State state) noexcept;
    static const core::ArbiterBase<Word>::Rules lasting;
};

/// The word of a SharedLock: the functions for an uncontended lock, and upgrades.
class FUTON_API SharedLockWord : public SharedLockState, public core::Arbiter<SharedLockRules> {
    using Way = core::probe::Way;

public:
    using SharedLockState::State;

    constexpr explicit SharedLockWord(Fairness fairness) noexcept : Arbiter(0, fairness) {}

    /// The address at which an upgrade waits.
    const void* upgrade_key() const noexcept { return reinterpret_cast<const std::byte*>(&word_) + sizeof(State); }
    static const void* address_of(const void* upgrade_key) noexcept {
        return static_cast<const std::byte*>(upgrade_key) - sizeof(State);
    }

    /// Take the lock if that is possible at once, without asking the queue.
    bool take_exclusive(Way way = Way::ready_to_wait) noexcept {
        Bits seen = 0;
        const bool is_taken =
            word_.compare_exchange_strong(seen, exclusive, std::memory_order_acquire,  // [lock-release]
                                          std::memory_order_relaxed);                  // the contended path retries
        if (is_taken) core::probe::acquired(this, Hold::exclusive, 1, way);
        return is_taken;
    }
    bool take_shared(Way way = Way::ready_to_wait) noexcept {
        Bits seen = word_.load(std::memory_order_relaxed);  // the exchanges decide
        if (uses_slots(seen)) return take_slot(way);
        for (int tries = 0; (seen & no_writer) == 0 && (seen & readers) < few_readers; ++tries) {
            if (tries == 1) {
                seen = reload_after_race();
            } else if (word_.compare_exchange_weak(seen, seen + one_reader,
                                                   std::memory_order_acquire,     // [lock-release]
                                                   std::memory_order_relaxed)) {  // the loop retries
                core::probe::acquired(this, Hold::shared, 1, way);
                if (tries != 0 || (seen & readers) != 0) consider_slots();
                return true;
            }
        }
        return false;
    }
    bool take_upgradeable(Way way = Way::ready_to_wait) noexcept {
        return take((no_writer & ~Bits{awaited}) | upgradeable, upgradeable, way);
    }

    /// Take the lock if that is possible.
    bool try_exclusive() noexcept { return take_exclusive(Way::tried) || try_contended(exclusive_mode); }
    bool try_shared() noexcept { return take_shared(Way::tried) || try_contended(shared_mode); }
    bool try_upgradeable() noexcept { return take_upgradeable(Way::tried) || try_contended(upgradeable_mode); }

    /// Return false if the lock is not held in this mode; nothing changes then.
    bool release() noexcept {
        core::probe::releasing(this, Hold::exclusive);
        Bits seen = exclusive;
        return word_.compare_exchange_strong(seen, 0, std::memory_order_release,  // [lock-release]
                                             std::memory_order_relaxed) ||        // release_contended retries
               release_contended(exclusive_mode, exclusive);
    }
    bool release_shared() noexcept {
        if (give_slot()) {
            core::probe::releasing(this, Hold::shared);  // before it, it is not known whether `give` will say so
            return true;
        }
        return give(one_reader, readers) || release_contended(shared_mode, readers);
    }
    bool release_upgradeable() noexcept {
        return give(upgradeable, upgradeable) || release_contended(upgradeable_mode, upgradeable);
    }

    /// Takes the lock if that is one change of the word, while waiters are queued.
    bool take_past_queue(Mode mode, Way way = Way::ready_to_wait) noexcept;

    /// Releases or downgrades when contended: gives back what the mode says, if some of the bits in `held` are set.
    bool release_contended(Mode mode, State held, core::Handoff handoff = core::Handoff::when_due) noexcept;

    // Readers in slots. [slots]

    /// Lets threads read through slots from now on, if no waiter is queued. For a reader that holds the lock.
    bool prefer_slots() noexcept;

    /// Counts all readers in the word. Afterwards slots are used only if a reader that holds the lock has decided so.
    void revoke_slots() noexcept;

    /// The same if this may decide whether a caller of this mode is refused: else it might be refused though no reader
    /// is left.
    void revoke_slots_for(Mode mode) noexcept;

    // A writer that spins.

    /// Whether it may try now, and whether the queue is the only way. While readers hold the lock, this may ask new ones to wait.
    struct Poll {
        bool is_free, is_ordered;
    };
    Poll poll_for_writer(bool asks_readers) noexcept;

    /// It no longer spins.
    void end_awaiting() noexcept;

    /// Lets it in first, for as long as spinning pays. For a reader that may block.
    void let_writer_in() noexcept;

    // An upgrade that waits in its queue.

    /// Makes the upgradeable hold exclusive if there is no reader.
    bool try_upgrade() noexcept;

    /// The same, or keeps new readers out. Called under the lock of the upgrade's queue. [upgrading]
    enum class Asked { upgraded, waits, refused };
    Asked ask_upgrade(bool is_asked) noexcept;

    /// Keeps the hold upgradeable, and lets readers in again.
    void give_up_upgrade() noexcept;

    /// Throw std::system_error.
    void require_room();
    void require_upgradeable(const char* operation) const;
    [[noreturn]] static void throw_not_held(const char* what);

private:
    using Bits = std::uint64_t;
    using Hold = core::probe::Hold;

    /// What the probe is told of a hold that the state counts as `what`.
    static constexpr Hold hold_of(State what) noexcept { return what == one_reader ? Hold::shared : Hold::upgradeable; }
    static constexpr Hold hold_of(Mode mode) noexcept {
        return mode == shared_mode ? Hold::shared : mode == exclusive_mode ? Hold::exclusive : Hold::upgradeable;
    }

    // Bits that stop the inline functions: those that exclude a reader, and those that only the arbiter can judge.
    static constexpr Bits no_writer = ~Bits{readers | upgradeable | biased};

    // Up to here there is room in any case. [room]
    static constexpr State few_readers = readers - most_in_slots - 1;

    /// Whether threads read through slots: no waiter is queued, so they overtake none. [fifo]
    static constexpr bool uses_slots(Bits bits) noexcept {
        return (bits & ~(strict | Bits{readers | upgradeable})) == biased;
    }

    /// [slots] Of this thread and a revoker one sees the other: here a slot is written before the word is read, there the word
    /// before the slots.
    bool take_slot(Way way) noexcept {  // NOLINT(misc-no-recursion): once, when the thread has its line
        ReaderLine* const line = this_reader_line();
        if (line == nullptr) [[unlikely]]
            return take_beside_slots(way);
        ReaderLine::Slot& slot = line->slot_for(this);
        const void* held = nullptr;
        if (!slot.compare_exchange_strong(held, this)) [[unlikely]]
            return take_beside_slots(way);
        if (!uses_slots(word_.load())) [[unlikely]]
            return keep_slot(slot, way);
        core::probe::acquired(this, Hold::shared, 1, way);
        return true;
    }

    /// Ends a hold of this thread's that is in a slot. [last-touch]
    bool give_slot() noexcept {
        ReaderLine* const line = this_reader_line();
        if (line == nullptr) return false;
        ReaderLine::Slot& slot = line->slot_for(this);
        const void* held = this;
        if (slot.load(std::memory_order_relaxed) != this) return false;                // the exchange decides
        return slot.compare_exchange_strong(held, nullptr, std::memory_order_release,  // [slots]
                                            std::memory_order_relaxed);                // it is counted then
    }

    /// Adds `what` to the state if none of the excluded bits is set. The arbiter decides whether the last reader may
    /// enter. [room]
    bool take(Bits excluded, State what, Way way) noexcept {
        Bits seen = word_.load(std::memory_order_relaxed);  // the exchange decides
        for (int tries = 0; (seen & excluded) == 0 && (seen & readers) < few_readers; ++tries) {
            if (tries == 1) {
                seen = reload_after_race();
            } else if (word_.compare_exchange_weak(seen, seen + what, std::memory_order_acquire,  // [lock-release]
                                                   std::memory_order_relaxed)) {                  // the loop retries
                core::probe::acquired(this, hold_of(what), 1, way);
                return true;
            }
        }
        return false;
    }

    /// Subtracts `what` from the state if some of the bits in `held` are set and no waiter is queued.
    bool give(State what, State held) noexcept {
        core::probe::releasing(this, hold_of(what));
        Bits seen = word_.load(std::memory_order_relaxed);  // the exchange decides
        while ((seen & no_writer & ~Bits{awaited}) == 0 && (seen & held) != 0)
            if (word_.compare_exchange_weak(seen, seen - what, std::memory_order_release,  // [lock-release]
                                            std::memory_order_relaxed))                    // the loop retries
                return true;
        return false;
    }

    /// The word when its upgradeable holder is exclusive.
    static constexpr Bits upgraded(Bits bits) noexcept {
        return with_state(bits, exclusive | (state_of(bits) & revokers));
    }

    bool try_contended(Mode mode) noexcept;
    bool release_reader(Mode mode, core::Handoff handoff) noexcept;
    bool take_beside_slots(Way way) noexcept;
    bool keep_slot(ReaderLine::Slot& slot, Way way) noexcept;
    void consider_slots() noexcept;
    bool count_slot(ReaderLine::Slot& slot) noexcept;
    void serve_upgrade() noexcept;
};

}  // namespace futon::detail

#include <futon/detail/end.hpp>
