// SPDX-License-Identifier: MIT
#include "queue/process_table.hpp"

#include "platform/race_detector.hpp"
#include "platform/spin.hpp"

namespace futon::tables {

namespace {

/// [no-lock] [once] Delivers waiters that were dequeued together; returns how many.
std::size_t deliver_all(const Shard::Chain& chain) noexcept {
    for (core::Waiter* waiter = chain.first; waiter != nullptr;) {
        core::Waiter* next = Access::next(*waiter);  // [last-touch]
        Access::deliver(*waiter);
        waiter = next;
    }
    return chain.length;
}

/// How many waiters are taken before other threads get the lock, and how many are moved, which takes twice as long for each. Less than a
/// notify takes, which delivers in between: a thread that spins for the lock should not fall asleep meanwhile. The explorer sets a small
/// number. Its programs are compared with a specification in which a notify is a single step, so this number is not for a notify.
#ifndef FUTON_SHORT_PART
constexpr std::size_t short_part = 128, part_of_moved = 64;
#else
constexpr std::size_t short_part = FUTON_SHORT_PART, part_of_moved = FUTON_SHORT_PART;
#endif

}  // namespace

void begin_anew(Shards& shards) noexcept {
    for (Shard& shard : shards) shard.begin_anew();
}

core::EnqueueResult ProcessTable::enqueue(core::Waiter& waiter, const core::WaitCheck& check,
                                          core::Place place) noexcept {
    const std::uint64_t hash = hash_of(check.address);
    return shard_for(hash).enqueue(waiter, check, hash, place);
}

bool ProcessTable::dequeue(core::Waiter& waiter, WaitResult result) noexcept {
    // If an owner sees its waiter idle, that is final: only the owner makes it wait, and the thread that dequeued it
    // delivers it. [once] But a waker may have dropped a member of a group, and may still be at it: so ask about
    // members under the lock. [claim]
    if (!Access::is_in_group(waiter) &&
        Access::state(waiter).load(std::memory_order_relaxed) == Access::State::idle)  // as said above
        return false;
    while (true) {
        const void* address = Access::address(waiter).load(std::memory_order_relaxed);  // compared under the lock
        const std::uint64_t hash = hash_of(address);
        const Shard::Found found = shard_for(hash).dequeue(waiter, result, address, hash);
        if (found != Shard::Found::moved) return found == Shard::Found::queued;
    }
}

bool ProcessTable::is_queued(core::Waiter& waiter) noexcept {
    while (true) {
        const void* address = Access::address(waiter).load(std::memory_order_relaxed);  // compared under the lock
        const Shard::Found found = shard_for(hash_of(address)).find(waiter, address);
        if (found != Shard::Found::moved) return found == Shard::Found::queued;
    }
}

bool ProcessTable::must_wait(const core::WaitCheck& check) noexcept {
    return shard_for(hash_of(check.address)).must_wait(check);
}

std::size_t ProcessTable::notify(const void* address, std::size_t count) noexcept {
    return notify_by<Shard::OrderedBy::fence>(address, count);
}

std::size_t ProcessTable::notify_changed(const void* address, std::size_t count) noexcept {
    return notify_by<Shard::OrderedBy::change>(address, count);
}

// Separate from `notify`, so that a notify that finds no waiter saves no registers before its fence, which would wait
// for these writes.
[[gnu::noinline]] std::size_t ProcessTable::wake(Shard& shard, const void* address, std::size_t count,
                                                 std::uint64_t hash) noexcept {
    Shard::Taking taking(address, count, hash);
    std::size_t woken = 0;
    do woken += deliver_all(shard.take(taking));  // [parts]
    while (!taking.is_over());
    return woken;
}

std::size_t ProcessTable::wake_while(const void* address, core::WakeVisitor& visitor, std::size_t max_skips) noexcept {
    platform::note_release(address);  // the visitor may publish in the word that is there
    const std::uint64_t hash = hash_of(address);
    Shard::Gathering gathering(address, hash, short_part);
    while (shard_for(hash).take_while(gathering, visitor, max_skips)) platform::let_others_poll();  // [parts]
    return deliver_all(gathering.chain());
}

std::size_t ProcessTable::requeue(const void* from, const core::WaitCheck& to, std::size_t count) noexcept {
    if (count == 0 || from == to.address) return 0;
    const std::uint64_t from_hash = hash_of(from);
    const std::uint64_t to_hash = hash_of(to.address);
    Shard::Taking taking(from, count, from_hash, part_of_moved);
    std::size_t moved = Shard::requeue(shard_for(from_hash), taking, shard_for(to_hash), to, to_hash);
    while (!taking.is_over()) {  // [parts]
        platform::let_others_poll();
        moved += Shard::requeue(shard_for(from_hash), taking, shard_for(to_hash), to, to_hash);
    }
    if (moved != 0) core::probe::sleep_elsewhere(to.address);
    return moved;
}

core::Waiter* ProcessTable::dequeue_first(const void* address) noexcept {
    const std::uint64_t hash = hash_of(address);
    Shard::Taking taking(address, 1, hash);
    core::Waiter* first = nullptr;
    do first = shard_for(hash).take(taking).first;
    while (!taking.is_over());
    return first;
}

std::size_t ProcessTable::count(const void* address) noexcept {
    const std::uint64_t hash = hash_of(address);
    return shard_for(hash).count(address, hash);
}

void ProcessTable::visit(const void* address, core::QueueVisitor& visitor) noexcept {
    const std::uint64_t hash = hash_of(address);
    shard_for(hash).visit(address, hash, visitor);
}

void ProcessTable::visit_all(core::QueueVisitor& visitor) noexcept {
    for (Shard& shard : shards_) shard.visit_all(visitor);
}

}  // namespace futon::tables
