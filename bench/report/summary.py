# SPDX-License-Identifier: MIT
"""The tables of docs/benchmarks.md: a selection of the results."""

from typing import NamedTuple

from questions import (ALL_ASYNC, ALL_LOOPS, ALL_THREADS, AT_ONCE, BESIDE_COMPUTING, BESIDE_NOTIFY, BESIDE_TIMERS,
                       BETWEEN_LOOPS, BETWEEN_THREADS, FEW_LOCK, GAME, IDLE_ASYNC, IDLE_THREADS, MANY_LOCK, MOSTLY_READERS,
                       NOTIFIED_LOCKED, OTHER_ASYNC, OTHER_THREADS, PIPELINES_PACED, PIPELINES_SATURATED, READERS_ONLY,
                       SELECT_NOT_READY, SELECT_READY, SEMAPHORE_ALONE, SEMAPHORE_THREADS, SERVER_PACED,
                       SERVER_SATURATED)
from results import geometric_mean, ratio, value_of
from tables import markdown, number, times, whole
from targets import serves_all


class Row(NamedTuple):
    number: int
    figure: str
    measure: str
    who: str
    metric: str = "ns"
    at: dict = {}
    standard: str = ""  # its equivalent in the standard library


STEP, EACH = "wait_async + notify + resume", "pending waiters, one word each"
MANY = {"waiters": 1e6}
CHANNEL = {"capacity": 64}

ROWS = [
    Row(1, "lock + unlock, uncontended", "lock + unlock", "futon::AsyncLock", standard="std::mutex"),
    Row(1, "the same by `co_await`", "lock + unlock where blocking is forbidden", "futon, co_await scoped_lock_async"),
    Row(1, "bytes of a lock", "size of a lock", "futon::AsyncLock", "bytes", standard="std::mutex"),
    Row(2, "notify, no waiters", "notify, no waiters", "futon, 4 bytes", standard="std::atomic, 4 bytes"),
    Row(2, "the same, 64 threads wait on other words", OTHER_THREADS, "futon, 4 bytes", at={"threads": 64},
        standard="std::atomic, 4 bytes"),
    Row(2, "the same, 10⁶ asynchronous waiters on other words", OTHER_ASYNC, "futon, 4 bytes", at=MANY),
    Row(3, "two threads wake each other, one core", "round trip on one core", "futon, 4 bytes",
        standard="std::atomic, 4 bytes"),
    Row(3, "the same, two cores", "round trip between two cores", "futon, 4 bytes", standard="std::atomic, 4 bytes"),
    Row(4, "one core, beside 10⁴ idle asynchronous waiters", IDLE_ASYNC, "futon, 4 bytes", at={"waiters": 1e4}),
    Row(4, "one core, 8-byte words, beside 1 000 idle threads", IDLE_THREADS, "futon, 8 bytes", at={"waiters": 1e3},
        standard="std::atomic, 8 bytes"),
    Row(7, "wait_async + notify + resume, `AsyncWaiter`", STEP, "futon, AsyncWaiter"),
    Row(7, "the same, promise in a coroutine", STEP, "futon, promise in a coroutine"),
    Row(8, "bytes per waiter of 10⁶, `AsyncWaiter`", "bytes, one word each", "futon, AsyncWaiter", "bytes", MANY),
    Row(8, "the same, promise", "bytes, one word each", "futon, promise", "bytes", MANY),
    Row(8, "enqueue one of 10⁶, `AsyncWaiter`", EACH, "futon, AsyncWaiter", "enqueue", MANY),
    Row(8, "the same, promise", EACH, "futon, promise", "enqueue", MANY),
    Row(8, "dequeue one of 10⁶, `AsyncWaiter`", EACH, "futon, AsyncWaiter", "dequeue", MANY),
    Row(8, "the same, promise", EACH, "futon, promise", "dequeue", MANY),
    Row(8, "arm a deadline, 10⁶ armed", EACH, "futon, AsyncWaiter", "arm", MANY),
    Row(9, "notify → callback on a loop of another thread", "latency", "futon, notify"),
    Row(9, "burst of 20 000 notifies, each", "burst", "futon, notify", at={"signals": 2e4}),
    Row(9, "system calls of that burst", "burst", "futon, notify", "system_calls", {"signals": 2e4}),
    Row(10, "notify 10⁵ promises, until all have settled, each", ALL_ASYNC, "futon, promises", at={"waiters": 1e5}),
    Row(10, "notify one waiter on each of 1 000 loops, each", ALL_LOOPS, "futon", at={"loops": 1e3}),
    Row(10, "notify 64 threads, until all have resumed, each", ALL_THREADS, "futon, 4 bytes", at={"threads": 64},
        standard="std::condition_variable"),
    Row(11, "longest pause of another word beside a notify of 10⁶, ms", BESIDE_NOTIFY, "futon", "own_ms", MANY),
    Row(11, "a heartbeat late, beside 10⁶ timers of one deadline, ms", BESIDE_TIMERS, "futon", "heartbeat_own_ms",
        {"timers": 1e6}),
    Row(11, "a posted job late, beside the same, ms", BESIDE_TIMERS, "futon", "posted_own_ms", {"timers": 1e6}),
    Row(11, "destroy one of 160 000 coroutines, their wakes posted", AT_ONCE,
        "futon, coroutines destroyed, their wakes posted", at={"waiters": 1.6e5}),
    Row(12, "condition, two threads wake each other, two cores", "condition: round trip between two cores",
        "futon::Condition", standard="std::condition_variable"),
    Row(12, "notify 64 threads with the lock held, until each has owned it", NOTIFIED_LOCKED, "futon::Condition",
        at={"threads": 64}, standard="std::condition_variable"),
    Row(13, "semaphore, acquire + release, uncontended", SEMAPHORE_ALONE, "futon::Semaphore",
        standard="std::counting_semaphore"),
    Row(13, "the same, 8 threads, 4 permits held for 1 µs", SEMAPHORE_THREADS, "futon::Semaphore",
        at={"permits": 4, "hold_ns": 1e3}, standard="std::counting_semaphore"),
    Row(14, "shared lock, 2 readers on two cores", READERS_ONLY, "futon::SharedLock", at={"threads": 2, "hold_ns": 0},
        standard="std::shared_mutex"),
    Row(14, "the same, 8 threads, 95 % readers, held for 1 µs", MOSTLY_READERS, "futon::SharedLock",
        at={"threads": 8, "hold_ns": 1e3}, standard="std::shared_mutex"),
    *(Row(15, f"{measure}, capacity 64, each item", measure, "futon::Channel", at=CHANNEL)
      for measure in BETWEEN_THREADS + BETWEEN_LOOPS),
    Row(16, "select of 2 channels that are ready", SELECT_READY, "futon::select_async", at={"channels": 2}),
    Row(16, "select of 8 that are not, with a send", SELECT_NOT_READY, "futon::select_async", at={"channels": 8}),
    Row(17, "event, set + wait, uncontended", "event: set + wait", "futon::AutoResetEvent",
        standard="std::binary_semaphore"),
    Row(17, "event, there and back, beside threads that compute", BESIDE_COMPUTING, "futon::AutoResetEvent",
        standard="std::binary_semaphore"),
    Row(17, "barrier of 8 threads", "barrier", "futon::Barrier", at={"threads": 8}, standard="std::barrier"),
    Row(17, "what was done once", "once: done already", "futon::Once", standard="std::call_once"),
    Row(19, "game loop with 4 workers, a frame, p99 in µs", GAME, "futon::AsyncLock, awaited", "frame_p99_us", {"workers": 4},
        "std::mutex, polled"),
    Row(19, "the same, processor time of the workers per update", GAME, "futon::AsyncLock, awaited", "cpu_of_workers",
        {"workers": 4}, "std::mutex, polled"),
    Row(20, "server with a cache, 8 clients, each request", SERVER_SATURATED, "futon::SharedLock", at={"clients": 8},
        standard="std::shared_mutex"),
    Row(20, "the same at a quarter of the load, p99 in µs", SERVER_PACED, "futon::SharedLock", "request_p99_us",
        standard="std::shared_mutex"),
    Row(21, "pipeline of four threads with orders, each item", PIPELINES_SATURATED[0], "futon::select, threads",
        standard="std, deques with condition variables"),
    Row(21, "the same, 20 000 items per second, p99 in µs", PIPELINES_PACED[0], "futon::select, threads", "item_p99_us",
        standard="std, deques with condition variables"),
]


def cell(record, metric):
    return "–" if record is None else number(value_of(record, metric))


def cell_with_name(record, metric):
    return "–" if record is None else f"{cell(record, metric)} {record['who']}"


def ratio_to_best_peer(results, row):
    record = results.one(row.measure, row.who, **row.at)
    return times(ratio(record, record and results.best_peer(record, row.metric), row.metric))


def summary_table(results):
    rows = []
    for row in ROWS:
        record = results.one(row.measure, row.who, **row.at)
        if record is None:
            continue
        standard = results.one(row.measure, row.standard, **row.at)
        rows.append([str(row.number), row.figure, f"**{cell(record, row.metric)}**",
                     cell(results.floor(record, row.metric), row.metric), cell(standard, row.metric),
                     cell_with_name(results.best_peer(record, row.metric), row.metric),
                     ratio_to_best_peer(results, row)])
    return markdown(["#", "figure", "futon", "floor", "std", "best peer", "÷ best"], rows, left=2)


def contention_table(results):
    """Throughput at each point, and the waits of futon and std::mutex."""
    measure, ours = FEW_LOCK, "futon::AsyncLock"
    peers = list(dict.fromkeys(record["who"] for record in results.of(measure, kind="peer")))
    rows = []
    for record in results.of(measure, who=ours):
        at = record["at"]
        waits = [results.one(measure, who, **at) for who in (ours, "std::mutex")]
        rows.append([whole(at["hold_ns"]), whole(at["threads"]), cell(results.floor(record, "ns"), "ns"),
                     f"**{cell(record, 'ns')}**", *(cell(results.one(measure, peer, **at), "ns") for peer in peers),
                     times(ratio(record, results.best_peer(record, "ns"), "ns")),
                     *(f"{value_of(wait, 'corrected wait.p99.9') / 1000:,.0f}".replace(",", " ") for wait in waits)])
    header = ["hold", "threads", "floor", "futon", *(peer.removesuffix("::Mutex").removesuffix("::mutex") for peer in peers),
              "÷ best", "p99.9 futon", "p99.9 std"]
    return markdown(header, rows, left=0)


def many_threads_table(results):
    """Acquisitions per millisecond of each lock at each point, and the longest waits; in brackets those of locks that do not
    serve all their threads."""
    ours = "futon::AsyncLock"
    names = list(dict.fromkeys(record["who"] for record in results.of(MANY_LOCK)))
    names.sort(key=lambda name: not name.startswith(ours))
    rows = []
    for record in results.of(MANY_LOCK, who=ours):
        at = record["at"]
        row = [whole(at["hold_ns"]), whole(at["threads"])]
        for name in names:
            lock = results.one(MANY_LOCK, name, **at)
            text = cell(lock, "per_ms")
            row.append(f"**{text}**" if name == ours else text if lock is None or serves_all(lock) else f"({text})")
        for name in (ours, "std::mutex"):
            row.append(cell(results.one(MANY_LOCK, name, **at), "longest_ms"))
        rows.append(row)
    header = ["hold", "threads", *(name.removeprefix("futon::").removesuffix("::Mutex").removesuffix("::mutex") for name in names),
              "longest wait, ms", "of std"]
    return markdown(header, rows, left=0)


def distance_from_fair(record):
    return max(abs(value_of(record, f"{kind}_of_fair") - 1) for kind in ("threads", "coroutines"))


def mixtures_table(results):
    """For each hold the cost in the mean of all mixtures, the shares of the worst one, and the longest wait of a coroutine."""
    measure = "acquisitions by kind"
    records = list(results.of(measure))
    rows = []
    for hold in sorted({record["at"]["hold_ns"] for record in records}):
        for who in dict.fromkeys(record["who"] for record in records):
            here = list(results.of(measure, who=who, hold_ns=hold))
            if not here:
                continue
            rows.append([who, whole(hold / 1000), number(geometric_mean([value_of(record, "ns") for record in here])),
                         number(max(value_of(record, "longest_of_coroutines_ms") for record in here)),
                         f"{100 * max(map(distance_from_fair, here)):.0f} %"])
    return markdown(["lock", "hold, µs", "ns per acquisition", "longest wait of a coroutine, ms", "farthest from a fair share"], rows)
