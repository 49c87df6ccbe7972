// SPDX-License-Identifier: MIT
#include <futon/core/queue/private_table.hpp>

#include <futon/detail/contract.hpp>

#include "queue/private_tables.hpp"

namespace futon::core {

PrivateTable::PrivateTable() : shards_(std::make_unique<tables::PrivateShards>()) {
    tables::private_tables().add(*shards_);
}

PrivateTable::~PrivateTable() {
    for (tables::Shard& shard : shards_->shards)
        detail::expects(!shard.has_waiters(), "a PrivateTable is destroyed with no waiter queued");
    tables::private_tables().remove(*shards_);
    for (tables::Shard& shard : shards_->shards) shard.free_segments();
}

EnqueueResult PrivateTable::enqueue(Waiter& waiter, const WaitCheck& check, Place place) noexcept {
    return shards_->table.enqueue(waiter, check, place);
}

bool PrivateTable::dequeue(Waiter& waiter, WaitResult result) noexcept {
    return shards_->table.dequeue(waiter, result);
}

bool PrivateTable::is_queued(Waiter& waiter) noexcept {
    return shards_->table.is_queued(waiter);
}

bool PrivateTable::must_wait(const WaitCheck& check) noexcept {
    return shards_->table.must_wait(check);
}

std::size_t PrivateTable::notify(const void* address, std::size_t count) noexcept {
    return shards_->table.notify(address, count);
}

std::size_t PrivateTable::notify_changed(const void* address, std::size_t count) noexcept {
    return shards_->table.notify_changed(address, count);
}

std::size_t PrivateTable::wake_while(const void* address, WakeVisitor& visitor, std::size_t max_skips) noexcept {
    return shards_->table.wake_while(address, visitor, max_skips);
}

std::size_t PrivateTable::requeue(const void* from, const WaitCheck& to, std::size_t count) noexcept {
    return shards_->table.requeue(from, to, count);
}

Waiter* PrivateTable::dequeue_first(const void* address) noexcept {
    return shards_->table.dequeue_first(address);
}

std::size_t PrivateTable::count(const void* address) noexcept {
    return shards_->table.count(address);
}

void PrivateTable::visit(const void* address, QueueVisitor& visitor) noexcept {
    shards_->table.visit(address, visitor);
}

void PrivateTable::visit_all(QueueVisitor& visitor) noexcept {
    shards_->table.visit_all(visitor);
}

}  // namespace futon::core
