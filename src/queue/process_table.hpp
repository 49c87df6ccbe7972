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

    core::EnqueueResult enqueue(core::Waiter& waiter, const core::WaitCheck& check,
                                core::Place place) noexcept override;
    bool dequeue(core::Waiter& waiter, WaitResult result) noexcept override;
    bool must_wait(const core::WaitCheck& check) noexcept override;
    std::size_t notify(const void* address, std::size_t count) noexcept override;
    std::size_t notify_changed(const void* address, std::size_t count) noexcept override;
    std::size_t wake_while(const void* address, core::WakeVisitor& visitor, std::size_t max_skips) noexcept override;
    std::size_t requeue(const void* from, const core::WaitCheck& to, std::size_t count) noexcept override;
    core::Waiter* dequeue_first(const void* address) noexcept override;

    /// What `notify` and `notify_changed` do, inline: where no waiter is queued, a call would be a good part of the cost.
    template <Shard::OrderedBy by>
    [[gnu::always_inline]] std::size_t notify_by(const void* address, std::size_t count) noexcept;

    [[gnu::cold]] bool is_queued(core::Waiter& waiter) noexcept override;
    [[gnu::cold]] std::size_t count(const void* address) noexcept override;
    [[gnu::cold]] void visit(const void* address, core::QueueVisitor& visitor) noexcept override;
    [[gnu::cold]] void visit_all(core::QueueVisitor& visitor) noexcept override;

private:
    // Bits that neither the index nor the filter of a shard uses.
    Shard& shard_for(std::uint64_t hash) noexcept { return shards_[(hash >> 52) % std::tuple_size_v<Shards>]; }

    static std::size_t wake(Shard& shard, const void* address, std::size_t count, std::uint64_t hash) noexcept;

    Shards& shards_;
};

template <Shard::OrderedBy by>
inline std::size_t ProcessTable::notify_by(const void* address, std::size_t count) noexcept {
    if (count == 0) return 0;

    // [announce] The only way out without the lock. The caller's change is ordered before it reads the filter, as a waiter's filter
    // bit is ordered before its check: by this fence, or because the change is sequentially consistent. If a waiter's check missed
    // such a change, the fence before that check came before the change in the one order of all such operations, and so before the
    // load of the filter.
    if constexpr (by == Shard::OrderedBy::fence) detail::fence_seq_cst();
    const std::uint64_t hash = hash_of(address);
    Shard& shard = shard_for(hash);
    if (!shard.may_have_waiters<by>(hash)) [[likely]]
        return 0;
    return wake(shard, address, count, hash);
}

/// The table of this copy of the library if the process uses it, as it does if there is no other copy; else null. In the
/// same unit its functions are called directly, and find their shards without a load.
ProcessTable* own_table_if_used() noexcept;

}  // namespace futon::tables
