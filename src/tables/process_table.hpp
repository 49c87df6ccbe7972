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

    bool join(core::Waiter& waiter, core::Condition condition) noexcept override;
    bool leave(core::Waiter& waiter, WaitResult result) noexcept override;
    bool holds(core::Condition condition) noexcept override;
    std::size_t notify(const void* address, std::size_t count) noexcept override;
    core::Waiter* take_first(const void* address) noexcept override;
    std::size_t count(const void* address) noexcept override;
    void visit(const void* address, core::LineVisitor& visitor) noexcept override;
    void visit_all(core::LineVisitor& visitor) noexcept override;

private:
    static constexpr std::size_t shard_count = 64;

    // Bits that neither the index nor the marks of a shard are made of.
    Shard& shard_for(std::uint64_t hash) noexcept { return shards_[(hash >> 52) % shard_count]; }

    std::array<Shard, shard_count> shards_{};
};

}  // namespace futon::tables
