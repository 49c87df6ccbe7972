// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>

#include <futon/core/wait_table.hpp>

#include "tables/hash.hpp"
#include "tables/shard.hpp"

namespace futon::tables {

/// The lines of one process: shards that lock and grow each on its own.
class ProcessTable final : public core::WaitTable {
public:
    constexpr ProcessTable() noexcept = default;

    bool enqueue(core::Waiter& waiter, core::WaitCheck check) noexcept override;
    bool dequeue(core::Waiter& waiter, WaitResult result) noexcept override;
    bool must_wait(core::WaitCheck check) noexcept override;
    std::size_t notify(const void* address, std::size_t count) noexcept override;
    core::Waiter* dequeue_first(const void* address) noexcept override;
    std::size_t count(const void* address) noexcept override;
    void visit(const void* address, core::QueueVisitor& visitor) noexcept override;
    void visit_all(core::QueueVisitor& visitor) noexcept override;

private:
    static constexpr std::size_t shard_count = 64;

    // Bits that neither the index nor the filter of a shard are made of.
    Shard& shard_for(std::uint64_t hash) noexcept { return shards_[(hash >> 52) % shard_count]; }

    std::array<Shard, shard_count> shards_{};
};

}  // namespace futon::tables
