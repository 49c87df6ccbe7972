// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>

#include <futon/core/queue/wait_table.hpp>

#include "queue/hash.hpp"
#include "queue/shard.hpp"

namespace futon::tables {

/// The shards of a table. All zero when empty: a static one takes no room in the program's file.
using Shards = std::array<Shard, 64>;

/// For the child of a fork. Allocates no memory and takes no lock: it may be called whatever the parent's threads were
/// doing at the fork. [fork]
[[gnu::cold]] void begin_anew(Shards& shards) noexcept;

/// The wait queues of one process: shards, each with its own lock and growth.
class ProcessTable final : public core::WaitTable {
public:
    constexpr explicit ProcessTable(Shards& shards) noexcept : shards_(shards) {}

    using WaitTable::enqueue;
    using WaitTable::wake_while;

    core::EnqueueResult enqueue(core::Waiter& waiter, core::WaitCheck check, core::Place place) noexcept override;
    bool dequeue(core::Waiter& waiter, WaitResult result) noexcept override;
    bool must_wait(const core::WaitCheck& check) noexcept override;
    std::size_t notify(const void* address, std::size_t count) noexcept override;
    std::size_t notify_changed(const void* address, std::size_t count) noexcept override;
    std::size_t wake_while(const void* address, core::WakeVisitor& visitor, std::size_t max_skips) noexcept override;
    std::size_t requeue(const void* from, core::WaitCheck to, std::size_t count) noexcept override;
    core::Waiter* dequeue_first(const void* address) noexcept override;
    [[gnu::cold]] bool is_queued(core::Waiter& waiter) noexcept override;
    [[gnu::cold]] std::size_t count(const void* address) noexcept override;
    [[gnu::cold]] void visit(const void* address, core::QueueVisitor& visitor) noexcept override;
    [[gnu::cold]] void visit_all(core::QueueVisitor& visitor) noexcept override;

private:
    // Bits that neither the index nor the filter of a shard uses.
    Shard& shard_for(std::uint64_t hash) noexcept { return shards_[(hash >> 52) % std::tuple_size_v<Shards>]; }

    Shards& shards_;
};

}  // namespace futon::tables
