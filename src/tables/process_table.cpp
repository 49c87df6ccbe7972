// SPDX-License-Identifier: MIT
#include "tables/process_table.hpp"

namespace futon::tables {

using Access = core::WaiterAccess;

bool ProcessTable::enqueue(core::Waiter& waiter, core::WaitCheck check) noexcept {
    const std::uint64_t hash = hash_of(check.address);
    return shard_for(hash).enqueue(waiter, check, hash);
}

bool ProcessTable::dequeue(core::Waiter& waiter, WaitResult result) noexcept {
    // An owner who sees its waiter idle is right: only the owner makes it wait. [once]
    if (Access::state(waiter).load(std::memory_order_relaxed) == Access::State::idle) return false;  // as said above
    const std::uint64_t hash = hash_of(Access::address(waiter));
    return shard_for(hash).dequeue(waiter, result, hash);
}

bool ProcessTable::must_wait(core::WaitCheck check) noexcept {
    return shard_for(hash_of(check.address)).must_wait(check);
}

std::size_t ProcessTable::notify(const void* address, std::size_t count) noexcept {
    if (count == 0) return 0;

    // The only way out without the lock: what the caller changed before is ordered before the look for filter, as a
    // waiter's filter bit is before its comparison.
    detail::fence_seq_cst();  // [announce]
    const std::uint64_t hash = hash_of(address);
    Shard& shard = shard_for(hash);
    if (!shard.may_have_waiters(hash)) return 0;

    const Shard::Chain taken = shard.take(address, count, hash);
    for (core::Waiter* waiter = taken.first; waiter != nullptr;) {
        core::Waiter* next = Access::next(*waiter);  // [last-touch]
        Access::deliver(*waiter);                    // [no-lock] [once]
        waiter = next;
    }
    return taken.length;
}

core::Waiter* ProcessTable::dequeue_first(const void* address) noexcept {
    const std::uint64_t hash = hash_of(address);
    return shard_for(hash).take(address, 1, hash).first;
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
