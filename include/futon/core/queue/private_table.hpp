// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstddef>
#include <memory>

#include <futon/core/queue/wait_table.hpp>
#include <futon/detail/export.hpp>

namespace futon::tables {
struct PrivateShards;
}  // namespace futon::tables

namespace futon::core {

/// Wait queues separate from the process's: a table that a program constructs and destroys.
///
/// Use it for a primitive whose latency must not depend on other waits: the queues of the process share the locks of 64
/// shards, so a word may wait while an unrelated queue is walked. Also use it in tests of a primitive: the table has no
/// other waiters, so `visit_all` shows only the primitive's.
///
///     futon::core::PrivateTable table;
///     Tickets tickets(table);  // whose operation has `WaitQueues& table()`, and whose wakers notify this table
///
/// If an operation's `table()` returns this table, every driver and `select` waits here. `futon::wait` and the
/// library's primitives, including those built on `core::Arbiter`, always use the table of the process. One address may
/// have a queue in each of several tables, which are independent.
///
/// An `AsyncWaiter` that was enqueued here must leave by this table's `dequeue` before it is destroyed: its own
/// `dequeue`, its `finish` and its destructor use the table of the process.
///
/// In the child of a fork the table is empty, like the process's. gdb's `futon waiters` shows its queues, and a
/// probe sees its waiters among all others. It belongs to the copy of the library that made it: a plugin must
/// destroy its tables before it is unloaded.
///
/// Threads   any, for every function.
/// Throws    the constructor: std::bad_alloc. Nothing else.
/// Requires  when it is destroyed, no waiter is queued, or the program ends; and no call of its functions is under way.
///           A woken thread cannot know that its waker has returned, so keep the table outside the object that waits in
///           it.
/// Cost      some 40 kB and one allocation. A function costs what it costs with the process's table, and one load.
///           Construction and destruction take a lock that all private tables share.
class FUTON_API PrivateTable final : public WaitTable {
public:
    PrivateTable();
    ~PrivateTable();
    PrivateTable(const PrivateTable&) = delete;
    PrivateTable& operator=(const PrivateTable&) = delete;

    using WaitTable::enqueue;
    using WaitTable::wake_while;

    EnqueueResult enqueue(Waiter& waiter, const WaitCheck& check, Place place) noexcept override;
    bool dequeue(Waiter& waiter, WaitResult result) noexcept override;
    bool is_queued(Waiter& waiter) noexcept override;
    bool must_wait(const WaitCheck& check) noexcept override;
    std::size_t notify(const void* address, std::size_t count) noexcept override;
    std::size_t notify_changed(const void* address, std::size_t count) noexcept override;
    std::size_t wake_while(const void* address, WakeVisitor& visitor, std::size_t max_skips) noexcept override;
    std::size_t requeue(const void* from, const WaitCheck& to, std::size_t count) noexcept override;
    Waiter* dequeue_first(const void* address) noexcept override;
    std::size_t count(const void* address) noexcept override;
    void visit(const void* address, QueueVisitor& visitor) noexcept override;
    void visit_all(QueueVisitor& visitor) noexcept override;

private:
    const std::unique_ptr<tables::PrivateShards> shards_;
};

}  // namespace futon::core

#include <futon/detail/end.hpp>
