// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <futon/core/queue/wait_table.hpp>

#include "queue/process_table.hpp"

namespace futon::test {

/// A new table, which is never destroyed, as tables are not.
inline tables::ProcessTable* fresh_table() {
    struct OwnedTable {
        tables::Shards shards;
        tables::ProcessTable table{shards};
    };
    static auto* const tables = new std::vector<std::unique_ptr<OwnedTable>>;
    return &tables->emplace_back(std::make_unique<OwnedTable>())->table;
}

inline core::WaitCheck always(const void* address) {
    return {const_cast<void*>(address), 0, [](void*, std::uint64_t) noexcept { return true; }};
}

inline core::WaitCheck never(const void* address) {
    return {const_cast<void*>(address), 0, [](void*, std::uint64_t) noexcept { return false; }};
}

/// A waiter that counts its deliveries, and may note their order.
class CountingWaiter : public core::Waiter {
public:
    CountingWaiter() = default;
    explicit CountingWaiter(std::uint64_t wanted) : wanted_(wanted) {}
    virtual ~CountingWaiter() = default;

    core::Demand request() const noexcept override { return wanted_; }

    std::atomic<int> deliveries{0};
    std::vector<CountingWaiter*>* order = nullptr;

protected:
    explicit CountingWaiter(InGroup in_group) : Waiter(in_group) {}

private:
    void deliver() noexcept override {
        if (order != nullptr) order->push_back(this);
        ++deliveries;  // the last touch: it may be destroyed now
    }

    const std::uint64_t wanted_ = 0;
};

/// A waiter of a group, of which the first that is claimed wins.
class GroupWaiter final : public CountingWaiter {
public:
    explicit GroupWaiter(std::atomic<GroupWaiter*>& winner) : CountingWaiter(InGroup{}), winner_(winner) {}

private:
    bool claim() noexcept override {
        GroupWaiter* none = nullptr;
        return winner_.compare_exchange_strong(none, this);
    }

    std::atomic<GroupWaiter*>& winner_;
};

}  // namespace futon::test
