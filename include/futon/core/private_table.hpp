// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstddef>
#include <memory>

#include <futon/core/wait_table.hpp>
#include <futon/detail/export.hpp>

namespace futon::tables {
struct PrivateShards;
}  // namespace futon::tables

namespace futon::core {

/// Wait queues apart from those of the process: a table that a program constructs, and destroys.
///
/// For a primitive whose latency must not depend on how the rest of the process waits: the queues of the process share the
/// locks of 64 shards, so a word may wait while a stranger's queue is walked. And for a test of a primitive: no other waiter
/// is in the table, so `visit_all` shows the primitive's alone.
///
///     futon::core::PrivateTable table;
///     Tickets tickets(table);  // whose operation has `WaitQueues& table()`, and whose wakers notify this table
///
/// An operation says by `table()` that it waits here; then each driver and `select` do. Words of `futon::wait` and the library's
/// primitives, also those made of `core::Arbiter`, keep to the table of the process. An address may have a queue in each of
/// several tables; they know nothing of one another.
///
/// An `AsyncWaiter` that was enqueued here leaves by this table's `dequeue`, before it is destroyed: its own `dequeue`, its
/// `finish` and its destructor ask the table of the process.
///
/// The child of a fork finds the table empty, as it does that of the process. gdb's `futon waiters` shows its queues, and a
/// probe sees its waiters, with those of all tables. It belongs to the copy of the library that made it: a plugin that is
/// unloaded has destroyed its tables.
///
/// Threads   any, for every function of a table.
/// Throws    the constructor: std::bad_alloc. Nothing else.
/// Requires  a table that is destroyed has no waiter queued, or the program ends; and no call of its functions is under way. A
///           thread that was woken cannot know that its waker has returned: keep the table beside what waits in it, not within.
/// Cost      some 40 kB and one allocation; beyond that, a function costs what it costs of the process's table and one load.
///           Construction and destruction take a lock that all private tables share.
class FUTON_API PrivateTable final : public WaitTable {
public:
    PrivateTable();
    ~PrivateTable();
    PrivateTable(const PrivateTable&) = delete;
    PrivateTable& operator=(const PrivateTable&) = delete;

    using WaitTable::enqueue;
    using WaitTable::wake_while;

    EnqueueResult enqueue(Waiter& waiter, WaitCheck check, Place place) noexcept override;
    bool dequeue(Waiter& waiter, WaitResult result) noexcept override;
    bool is_queued(Waiter& waiter) noexcept override;
    bool must_wait(const WaitCheck& check) noexcept override;
    std::size_t notify(const void* address, std::size_t count) noexcept override;
    std::size_t wake_while(const void* address, WakeVisitor& visitor, std::size_t max_skips) noexcept override;
    std::size_t requeue(const void* from, WaitCheck to, std::size_t count) noexcept override;
    Waiter* dequeue_first(const void* address) noexcept override;
    std::size_t count(const void* address) noexcept override;
    void visit(const void* address, QueueVisitor& visitor) noexcept override;
    void visit_all(QueueVisitor& visitor) noexcept override;

private:
    const std::unique_ptr<tables::PrivateShards> shards_;
};

}  // namespace futon::core

#include <futon/detail/end.hpp>
