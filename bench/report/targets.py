# SPDX-License-Identifier: MIT
"""The targets, and what a run found. Reported, never asserted: machines differ, and so do runs on one machine."""

import math

from findings import (Finding, at_least, at_most, milliseconds, nanoseconds, size, to_best_peer, to_floor, value)
from questions import (ALL_ASYNC, ALL_THREADS, AT_ONCE, BESIDE_NOTIFY, BESIDE_TIMERS, BESIDE_VERBS, CHANGE, FEW_LOCK, IDLE_ASYNC, MANY_LOCK,
                       OTHER_ASYNC, OWN_OBJECTS)
from targets_of_primitives import TARGETS_OF_PRIMITIVES
from targets_of_programs import TARGETS_OF_PROGRAMS
from results import geometric_mean, ratio, value_of
from tables import markdown, number, times, whole


THRESHOLD_MS = 1  # AsyncLock::handoff_threshold
SERVES = 25  # a lock serves all its threads if none of them has so many times the acquisitions of another


def uncontended_lock(results):
    ours = results.one("lock + unlock", "futon::AsyncLock")
    yield from at_most(1, "lock + unlock ÷ CAS + exchange", to_floor(results, ours), 1.05, why="1 floor")
    peers = [] if ours is None else list(results.of("lock + unlock", kind="peer"))
    for peer in peers:
        yield from at_most(1, f"lock + unlock ÷ {peer['who']}", ratio(ours, peer, "ns"), 1.0, why="1 peer")
    for alone in results.of(OWN_OBJECTS, kind="ours", threads=1):
        two = results.one(OWN_OBJECTS, alone["who"], threads=2)
        yield from at_most(1, f"{alone['who']}: beside a thread with other objects ÷ alone", ratio(two, alone, "ns"), 1.1, why="1 own")


def notify_no_waiters(results):
    ours = results.one("notify, no waiters", "futon, 4 bytes")
    yield from at_most(2, "notify without waiters ÷ fence", to_floor(results, ours), 2.0, why="2 floor")
    measure = OTHER_ASYNC
    few, many = (results.one(measure, "futon, 4 bytes", waiters=n) for n in (1e3, 1e6))
    yield from at_most(2, "notify beside 10⁶ waiters ÷ beside 10³", ratio(many, few, "ns"), 1.5, why="2 waiters")
    for waiters, label in ((0, "no waiters"), (1e6, "10⁶ waiters elsewhere")):
        change = results.one(CHANGE, "futon::exchange_and_notify", waiters=waiters)
        yield from at_most(2, f"exchange_and_notify, {label} ÷ an exchange", to_floor(results, change), 1.1, why="2 floor")


def ping_pong(results):
    for measure in ("round trip on one core", "round trip between two cores"):
        for who in ("futon, 4 bytes", "futon, 8 bytes"):
            ours = results.one(measure, who)
            yield from at_most(3, f"{measure}, {who[7:]} ÷ futex", to_floor(results, ours), 1.10, why="3")


def idle_waiters(results):
    measure = IDLE_ASYNC
    none, many = (results.one(measure, "futon, 4 bytes", waiters=n) for n in (0, 1e4))
    yield from at_most(4, "round trip beside 10 000 waiters ÷ beside none", ratio(many, none, "ns"), 1.05, why="4")


def serves_all(record):
    return value_of(record, "imbalance") <= SERVES and not value_of(record, "unserved") > 0


def serving_peers(results, record):
    return [peer for peer in results.of(record["measure"], kind="peer", **record["at"]) if serves_all(peer)]


def dominating_peers(results, record):
    """Those that are better both in throughput and in the p99.9 wait."""
    return [peer for peer in serving_peers(results, record)
            if ratio(peer, record, "ns") < 1 and ratio(peer, record, "wait.p99.9") < 1]


def hold_and_threads(record):
    return f"hold {whole(record['at']['hold_ns'])} ns, {whole(record['at']['threads'])} threads"


def beside_serving_peers(results, measure, label):
    ours = list(results.of(measure, who="futon::AsyncLock"))
    if not ours:
        return
    best = [(record, min(peers, key=lambda peer: value_of(peer, "ns")))
            for record in ours if (peers := serving_peers(results, record))]
    yield from at_least(5, f"{label}: throughput ÷ best peer that serves all its threads, geometric mean of the {len(best)} points that have one",
                        geometric_mean([ratio(peer, record, "ns") for record, peer in best]), 1.1, why="5 throughput")
    costs = [(ratio(record, peer, "cpu"), record) for record, peer in best]
    worst, at = max(costs, key=lambda cost: cost[0], default=(math.nan, ours[0]))
    yield from at_most(5, f"{label}: processor time of an acquisition ÷ that peer's, worst point ({hold_and_threads(at)})", worst, 1.5, why="5 processor")
    dominated = [(record, peers[0]) for record in ours if (peers := dominating_peers(results, record))]
    shown = "; ".join(f"{hold_and_threads(record)}: {peer['who']}" for record, peer in dominated[:4])
    more = " ..." if len(dominated) > 4 else ""
    yield Finding(5, f"{label}: points where a peer that serves all its threads is better in throughput and p99.9 wait",
                  "0", f"{len(dominated)} of {len(ours)}" + (f" ({shown}{more})" if dominated else ""), not dominated,
                  "5 dominated", len(dominated))


def many_threads(results):
    ours = list(results.of(MANY_LOCK, who="futon::AsyncLock"))
    if not ours:
        return
    against = [(ratio(results.one(MANY_LOCK, "std::mutex", **record["at"]), record, "ns"), record) for record in ours]
    worst, at = min(against, key=lambda pair: pair[0])
    yield from at_least(5, f"many threads: throughput ÷ std::mutex's, worst point ({hold_and_threads(at)})", worst, 1.0, why="5 throughput")
    for threads in sorted({record["at"]["threads"] for record in ours}):
        longest = max(value_of(record, "longest_ms") for record in ours if record["at"]["threads"] == threads)
        # In the worst case all but the owner are before it.
        yield from at_most(5, f"longest wait, {whole(threads)} threads, and its bound on idle processors", longest,
                           THRESHOLD_MS * (threads - 1), milliseconds, why="5 longest")
    yield from at_most(5, "threads without an acquisition in a second, worst point",
                       max(value_of(record, "unserved") for record in ours), 0, number, why="5 longest")


def contended_lock(results):
    yield from many_threads(results)
    yield from beside_serving_peers(results, MANY_LOCK, "many threads")
    yield from beside_serving_peers(results, FEW_LOCK, "few threads")


def mixture(record):
    at = record["at"]
    return f"threads + coroutines {at['threads']:.0f} + {at['coroutines']:.0f}, held for {at['hold_ns'] / 1000:.0f} µs"


def threads_and_coroutines(results):
    """Shares are a target of the strict lock only; of the default lock it is the longest wait of a coroutine: one handoff threshold
    for each waiter before it, the holds, and the longest time for which as many threads without a lock, the loop's among them, had
    one that did not run."""
    for record in results.of("acquisitions by kind", who="futon::AsyncLock"):
        before = record["at"]["threads"] + record["at"]["coroutines"] - 1
        bound = THRESHOLD_MS * before + record["at"]["hold_ns"] / 1e6 * (before + 1)
        runnable = results.one("threads that only run", "without a lock", threads=record["at"]["threads"] + 1)
        if runnable is not None:
            bound += value_of(runnable, "longest_ms")
        yield from at_most(6, f"longest wait of a coroutine, and its bound, {mixture(record)}",
                           value(record, "longest_of_coroutines_ms"), bound, milliseconds, why="6 longest")
    for record in results.of("acquisitions by kind", who="futon::AsyncLock, strict"):
        threads, coroutines = (value_of(record, f"{kind}_of_fair") for kind in ("threads", "coroutines"))
        off = max(abs(threads - 1), abs(coroutines - 1))
        yield Finding(6, f"{record['who']}, distance from fair shares, {mixture(record)}", "≤ 10 %",
                      f"{100 * off:.0f} %", off <= 0.1, "6 share", off / 0.1)
    for record in results.of("queue of threads and coroutines", kind="ours"):
        yield from at_most(6, f"{record['who']}, inversions in a queue", value_of(record, "inversions"), 0, number, why="6 order")


def wait_notify_resume(results):
    measure = "wait_async + notify + resume"
    direct = results.one(measure, "futon, AsyncWaiter")
    promise = results.one(measure, "futon, promise in a coroutine")
    yield from at_most(7, "wait_async + notify + resume, AsyncWaiter", value(direct, "ns"), 60, nanoseconds, why="7")
    yield from at_most(7, "wait_async + notify + resume, promise in a coroutine", value(promise, "ns"), 120, nanoseconds, why="7")
    for name, ours in (("AsyncWaiter", direct), ("promise", promise)):
        for peer in results.of(measure, kind="peer"):
            if peer["who"].startswith("V8"):
                yield from at_least(7, f"V8 ÷ {name}", ratio(peer, ours, "ns"), 20, why="7 V8")
    channels = [r for r in results.of(measure, kind="peer") if r["who"].startswith("asio")]
    if channels:
        best = min(channels, key=lambda record: value_of(record, "ns"))
        yield from at_most(7, f"AsyncWaiter ÷ {best['who']}", ratio(direct, best, "ns"), 1.0, why="7")
        coroutines = results.one(measure, "asio channel, coroutines")
        yield from at_most(7, "promise ÷ asio channel, coroutines", ratio(promise, coroutines, "ns"), 1.0, why="7")


def pending_waiters(results):
    for who, limit in (("futon, AsyncWaiter", 96), ("futon, promise", 192)):
        record = results.one("bytes, one word each", who, waiters=1e6)
        yield from at_most(8, f"bytes per waiter of 10⁶, one word each, {who[7:]}", value(record, "bytes"), limit, size, why="8 bytes")
    for measure in ("pending waiters, one word each", "pending waiters, one shared word"):
        direct = results.one(measure, "futon, AsyncWaiter", waiters=1e6)
        promise = results.one(measure, "futon, promise", waiters=1e6)
        which = measure.removeprefix("pending waiters, ")
        for metric in ("enqueue", "dequeue", "arm", "disarm"):
            yield from at_most(8, f"{metric}, 10⁶ waiters, {which}, AsyncWaiter", value(direct, metric), 150, nanoseconds, why="8")
        for metric in ("enqueue", "dequeue"):
            yield from at_most(8, f"{metric}, 10⁶ waiters, {which}, promise", value(promise, metric), 150, nanoseconds, why="8")
        yield from at_most(8, f"dequeue, 10⁶ waiters, {which}, promise ÷ bare heap", to_floor(results, promise, "dequeue"), 1.5, why="8 heap")
        for verb, metric in (("arm", "enqueue"), ("disarm", "dequeue")):
            more = value(promise, f"{metric} with a deadline") - value(promise, metric)
            yield from at_most(8, f"{verb}, 10⁶ waiters, {which}, promise", more, 150, nanoseconds, why="8")


def cross_thread_notify(results):
    ours = results.one("latency", "futon, notify")
    eventfd = results.one("latency", "eventfd + epoll")
    yield from at_most(9, "notify → callback ÷ eventfd + epoll", ratio(ours, eventfd, "ns"), 1.0, why="9 latency")
    embedded = results.one("latency", "futon, notify, embedded in epoll")
    yield from at_most(9, "notify → callback, embedded in a foreign epoll, ÷ eventfd + epoll", ratio(embedded, eventfd, "ns"), 1.0, why="9 embedded")
    for who in ("futon, notify", "futon, notify, embedded in epoll"):
        burst = results.one("burst", who, signals=2e4)
        yield from at_most(9, f"system calls of a burst of 20 000, {who[7:]}", value(burst, "system_calls"), 199, number, why="9 burst")


def notify_all(results):
    record = results.one(ALL_ASYNC, "futon, promises", waiters=1e5)
    yield from at_most(10, "notify of 10⁵ promises, the call, per promise", value(record, "call_ns"), 40, nanoseconds, why="10 promises")
    yield from at_most(10, "notify of 10⁵ promises, until all have settled, per promise", value(record, "ns"), 40, nanoseconds, why="10 promises")
    threads = results.one(ALL_THREADS, "futon, 4 bytes", threads=64)
    condition = results.one(ALL_THREADS, "std::condition_variable", threads=64)
    yield from at_most(10, "notify of 64 threads ÷ std::condition_variable", ratio(threads, condition, "ns"), 1.0, why="10 threads")


def worst_pause(results):
    beside = results.one(BESIDE_NOTIFY, "futon", waiters=1e6)
    yield from at_most(11, "pause of a user of other words, beside a notify of 10⁶", value(beside, "own_ms"), 1, milliseconds, why="11 notify")
    for verb in results.of(BESIDE_VERBS, kind="ours", waiters=1e6):
        yield from at_most(11, f"the same, beside {verb['who']} of 10⁶", value(verb, "own_ms"), 1, milliseconds, why="11 notify")
    timers = results.one(BESIDE_TIMERS, "futon", timers=1e6)
    for metric, what in (("heartbeat_own_ms", "a heartbeat"), ("posted_own_ms", "a posted job")):
        yield from at_most(11, f"how late {what} is, beside 10⁶ timers of one deadline", value(timers, metric), 5, milliseconds, why="11 timers")
    for many in results.of(AT_ONCE, kind="ours", waiters=160_000):
        few = results.one(AT_ONCE, many["who"], waiters=40_000)
        yield from at_most(11, f"{many['who'].removeprefix('futon, ')}: each of 160 000 ÷ each of 40 000", ratio(many, few, "ns"), 1.5, why="11 linear")


TARGETS = [uncontended_lock, notify_no_waiters, ping_pong, idle_waiters, contended_lock, threads_and_coroutines,
           wait_notify_resume, pending_waiters, cross_thread_notify, notify_all, worst_pause, *TARGETS_OF_PRIMITIVES,
           *TARGETS_OF_PROGRAMS]


def findings(results):
    return [finding for target in TARGETS for finding in target(results)]


def targets_table(results):
    rows = [["no" if not f.is_met else "yes", str(f.number), f.figure, f.target, f.found] for f in findings(results)]
    head = ["met", "#", "figure", "target", "found"]
    return markdown(head, rows, left=3)
