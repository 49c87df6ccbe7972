// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <initializer_list>

#include <futon/conformance/report.hpp>
#include <futon/core/queue/wait_table.hpp>
#include <futon/detail/conformance/place_clauses.hpp>
#include <futon/detail/conformance/queue_clauses.hpp>
#include <futon/detail/conformance/race_clauses.hpp>
#include <futon/detail/conformance/requeue_clauses.hpp>
#include <futon/detail/conformance/table_clauses.hpp>
#include <futon/detail/conformance/trial.hpp>
#include <futon/detail/conformance/wake_while_clauses.hpp>

namespace futon::conformance {

/// Checks whether wait queues of one's own keep the contract of `core::WaitQueues`, clause by clause: what is enqueued and where,
/// what a check is told, who is notified and in which order, that each waiter is dequeued once, that members of groups are
/// claimed, and that no wake-up is lost when threads race.
///
///     MyQueues queues;
///     const auto report = futon::conformance::check_queues(queues);
///     if (!report.holds()) std::cerr << report.text();
///
/// Needs no test framework. Works in addresses of its own, so the queues may be in use meanwhile.
///
/// Returns   which clauses hold, and of those that do not, what was found instead.
/// Blocks    for as long as the clauses take, a second or so; where one is broken, for `Options::patience` at each wait in vain.
/// Threads   one check at a time of one table. Starts threads of its own, and joins them.
/// Requires  room for 16 waiters besides the waiters of others. What waiters of a broken clause have left behind in the table is never
///           freed: destroy the table, and do not go on with it.
/// Throws    std::bad_alloc. Where there is no thread to be had, the clauses in which threads race are broken.
inline Report check_queues(core::WaitQueues& queues, const Options& options = {}) {
    Report report;
    namespace kit = detail::conformance;
    for (const auto clauses : {kit::queue_clauses(), kit::place_clauses(), kit::race_clauses()})
        kit::run(clauses, queues, nullptr, options, report);
    return report;
}

/// The same of a whole table, `core::WaitTable`: the clauses of `check_queues`, and besides them the clauses of `wake_while` and its
/// visitor, `requeue`, `dequeue_first` and `deliver`, `count`, `visit` and `visit_all`.
///
/// Requires  room for 400 waiters besides the waiters of others; the rest as there.
inline Report check_table(core::WaitTable& table, const Options& options = {}) {
    Report report = check_queues(table, options);
    namespace kit = detail::conformance;
    for (const auto clauses : {kit::table_clauses(), kit::wake_while_clauses(), kit::requeue_clauses()})
        kit::run(clauses, table, &table, options, report);
    return report;
}

}  // namespace futon::conformance

#include <futon/detail/end.hpp>
