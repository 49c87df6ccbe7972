// SPDX-License-Identifier: MIT
#include "tables/process_table.hpp"

namespace futon::tables {

using Access = core::WaiterAccess;

bool ProcessTable::join(core::Waiter& waiter, core::Condition condition) noexcept {
    const std::uint64_t hash = hash_of(condition.address);
    return shard_for(hash).join(waiter, condition, hash);
}

bool ProcessTable::leave(core::Waiter& waiter, WaitResult result) noexcept {
    // An owner who sees its waiter idle is right: only the owner makes it wait. [once]
    if (Access::state(waiter).load(std::memory_order_relaxed) == Access::State::idle) return false;  // as said above
    const std::uint64_t hash = hash_of(Access::address(waiter));
    return shard_for(hash).leave(waiter, result, hash);
}

bool ProcessTable::holds(core::Condition condition) noexcept {
    return shard_for(hash_of(condition.address)).holds(condition);
}

std::size_t ProcessTable::notify(const void* address, std::size_t count) noexcept {
    if (count == 0) return 0;

    // The only way out without the lock: what the caller changed before is ordered before the look for marks, as a
    // waiter's mark is before its comparison.
    detail::fence_seq_cst();  // [announce]
    const std::uint64_t hash = hash_of(address);
    Shard& shard = shard_for(hash);
    if (!shard.may_have_line(hash)) return 0;

    const Shard::Chain taken = shard.take(address, count, hash);
    for (core::Waiter* waiter = taken.first; waiter != nullptr;) {
        core::Waiter* next = Access::next(*waiter);  // [last-touch]
        Access::deliver(*waiter);                    // [no-lock] [once]
        waiter = next;
    }
    return taken.length;
}

core::Waiter* ProcessTable::take_first(const void* address) noexcept {
    const std::uint64_t hash = hash_of(address);
    return shard_for(hash).take(address, 1, hash).first;
}

std::size_t ProcessTable::count(const void* address) noexcept {
    const std::uint64_t hash = hash_of(address);
    return shard_for(hash).count(address, hash);
}

void ProcessTable::visit(const void* address, core::LineVisitor& visitor) noexcept {
    const std::uint64_t hash = hash_of(address);
    shard_for(hash).visit(address, hash, visitor);
}

void ProcessTable::visit_all(core::LineVisitor& visitor) noexcept {
    for (Shard& shard : shards_) shard.visit_all(visitor);
}

}  // namespace futon::tables
