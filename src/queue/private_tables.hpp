// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/atomic.hpp>

#include "platform/mutex.hpp"
#include "queue/process_table.hpp"

namespace futon::tables {

/// The shards of a private table, and its place in the list of all private tables.
struct PrivateShards {
    Shards shards;
    ProcessTable table{shards};
    detail::Atomic<PrivateShards*> next{nullptr};  // in the list; changes under its lock
};

/// The private tables of this copy of the library: for the child of a fork, and for gdb.
///
/// [fork] A child may find the list in the middle of a change by a thread that it does not have. So each change is one
/// store, after which the list is whole again, and the child walks it without the lock. If a table is not in the list,
/// only the thread that makes or destroys it knows it.
class PrivateTables {
public:
    constexpr PrivateTables() noexcept = default;

    void add(PrivateShards& table) noexcept;
    void remove(PrivateShards& table) noexcept;

    /// For the child of a fork: makes all of them empty and unlocked. [fork]
    [[gnu::cold]] void begin_anew() noexcept FUTON_NO_THREAD_SAFETY_ANALYSIS;

private:
    platform::Mutex mutex_;
    detail::Atomic<PrivateShards*> first_{nullptr};
};

PrivateTables& private_tables() noexcept;

}  // namespace futon::tables
