# SPDX-License-Identifier: MIT
"""The targets of what is built from wait and notify: conditions, semaphores, shared locks, channels, select, signals."""

from findings import at_least, at_most, milliseconds, size, to_best_peer, to_floor, value
from questions import (BESIDE_COMPUTING, BETWEEN_LOOPS, BETWEEN_THREADS, BUSY_LOOP, MOSTLY_READERS, NOTIFIED_LOCKED, READERS_ONLY,
                       SELECT_NOT_READY, SELECT_READY, SEMAPHORE_ALONE, SEMAPHORE_THREADS, STALLED_LOOPS, WRITER,
                       round_trips_of_conditions)
from results import ratio, value_of
from tables import whole

LONGEST_WRITE_MS = 10  # for each reader: each may have the processor for some milliseconds before the writer gets it


def bytes_of(number, results, measure, who, limit):
    record = results.one(measure, who)
    yield from at_most(number, f"bytes of {who}", value(record, "bytes"), limit, size, why=f"{number} bytes")


def throughput(results, record):
    """Of the best peer, as a multiple of its own: more is better."""
    return ratio(results.best_peer(record, "ns"), record, "ns")


def condition(results):
    for measure in round_trips_of_conditions():
        ours = results.one(measure, "futon::Condition")
        yield from at_most(12, f"{measure} ÷ best peer", to_best_peer(results, ours), 1.05, why="12 round trip")
    ours = results.one(NOTIFIED_LOCKED, "futon::Condition", threads=64)
    yield from at_most(12, "notify of 64 threads with the lock held ÷ best peer", to_best_peer(results, ours), 0.7, why="12 all")
    yield from bytes_of(12, results, "size of a condition", "futon::Condition", 4)


def semaphore(results):
    ours = results.one(SEMAPHORE_ALONE, "futon::Semaphore")
    yield from at_most(13, f"{SEMAPHORE_ALONE}, uncontended ÷ best peer", to_best_peer(results, ours), 1.1, why="13 alone")
    for ours in results.of(SEMAPHORE_THREADS, kind="ours"):
        at = f"hold {whole(ours['at']['hold_ns'])} ns, permits: {whole(ours['at']['permits'])}"
        yield from at_least(13, f"8 threads, {at}: throughput ÷ best peer", throughput(results, ours), 1.1, why="13 threads")
    yield from bytes_of(13, results, "size of a semaphore", "futon::Semaphore", 8)


def shared_lock(results):
    for measure, limit in ((READERS_ONLY, 1.0), (MOSTLY_READERS, 1.1)):
        for ours in results.of(measure, kind="ours"):
            at = f"hold {whole(ours['at']['hold_ns'])} ns, {whole(ours['at']['threads'])} threads"
            yield from at_least(14, f"{measure.removeprefix('shared lock: ')}, {at}: throughput ÷ best peer",
                                throughput(results, ours), limit, why="14 threads")
    for ours in results.of(WRITER, kind="ours"):
        yield from at_most(14, f"longest wait of a writer among {whole(ours['at']['readers'])} readers",
                           value(ours, "longest_ms"), LONGEST_WRITE_MS * ours["at"]["readers"], milliseconds, why="14 writer")
    yield from bytes_of(14, results, "size of a shared lock", "futon::SharedLock", 8)


def is_goroutines(peer):
    return peer["who"].startswith("Go ") and not peer["who"].endswith("bound to threads")


def channel(results):
    for measure in BETWEEN_THREADS + BETWEEN_LOOPS:
        for ours in results.of(measure, kind="ours"):
            at = f"{measure.removeprefix('channel: ')}, capacity {whole(ours['at']['capacity'])}"
            peers = list(results.of(measure, kind="peer", **ours["at"]))
            # Goroutines that are not bound to threads may all run on one: that is another task.
            goroutines = [peer for peer in peers if measure in BETWEEN_THREADS and is_goroutines(peer)]
            others = [peer for peer in peers if peer not in goroutines]
            best = min(others, key=lambda peer: value_of(peer, "ns"), default=None)
            yield from at_most(15, f"{at} ÷ best peer", ratio(ours, best, "ns"), 1.0, why="15 peer")
            for peer in goroutines:
                yield from at_most(15, f"{at} ÷ {peer['who']}, goroutines", ratio(ours, peer, "ns"), 1.0, why="15 goroutines")
            if measure in BETWEEN_LOOPS:
                yield from at_most(15, f"{at} ÷ a bare post", to_floor(results, ours), 2.0, why="15 post")


def select(results):
    for measure, count in ((SELECT_READY, 2), (SELECT_NOT_READY, 8)):
        ours = results.one(measure, "futon::select_async", channels=count)
        for peer in results.of(measure, kind="peer", channels=count):
            limit = 1.5 if peer["who"].startswith("Go") else 1.0
            yield from at_most(16, f"{measure}, {count} of them ÷ {peer['who']}", ratio(ours, peer, "ns"), limit, why="16")


def signals(results):
    alone = results.one("event: set + wait", "futon::AutoResetEvent")
    yield from at_most(17, "AutoResetEvent, set + wait ÷ best peer", to_best_peer(results, alone), 1.1, why="17 alone")
    for where in ("on one core", "between two cores"):
        ours = results.one(f"event: round trip {where}", "futon::AutoResetEvent")
        yield from at_most(17, f"AutoResetEvent, round trip {where} ÷ best peer", to_best_peer(results, ours), 1.05, why="17 round trip")
    for ours in results.of(BESIDE_COMPUTING, kind="ours"):
        yield from at_most(17, f"{ours['who']}, round trip beside threads that compute ÷ best peer",
                           to_best_peer(results, ours), 1.1, why="17 computing")
    for measure in ("latch", "barrier"):
        for ours in results.of(measure, kind="ours"):
            yield from at_most(17, f"{measure} of {whole(ours['at']['threads'])} threads ÷ best peer",
                               to_best_peer(results, ours), 1.1, why="17 threads")
    for ours in results.of("once: done already", kind="ours"):
        yield from at_most(17, f"{ours['who']}, done already ÷ std::call_once", to_best_peer(results, ours), 1.0, why="17 once")
    for who in ("futon::Event", "futon::AutoResetEvent", "futon::Latch", "futon::Once"):
        yield from bytes_of(17, results, "size of a signal", who, 4)


def loops_and_threads(results):
    for ours in results.of(BUSY_LOOP, kind="ours"):
        at = ours["at"]
        where = f"turns of {whole(at['turn_ms'])} ms, {whole(at['threads'])} threads that hold {at['hold_ms']:g} ms: {ours['who']}"
        limit = 4 * at["turn_ms"] + at["threads"] * at["hold_ms"] + 20
        yield from at_most(18, f"{where}, longest wait of the loop", value(ours, "longest_ms"), limit, milliseconds, why="18 wait")
        yield from at_least(18, f"{where}, acquisitions per turn", value(ours, "per_turn"), 0.25, why="18 turn")
        if "strict" not in ours["who"]:  # whose offers idle for the rest of a turn
            yield from at_least(18, f"{where}, what threads keep", value(ours, "kept"), 0.9, why="18 kept")
    for ours in results.of(STALLED_LOOPS, kind="ours"):
        where = f"{whole(ours['at']['loops'])} stalled loops with {whole(ours['at']['tasks'])} tasks: {ours['who']}"
        yield from at_least(18, f"{where}, what threads keep", value(ours, "kept"), 0.95, why="18 stalled")
        yield from at_most(18, f"{where}, longest wait of a thread", value(ours, "longest_ms"),
                           value(ours, "longest_alone_ms") + 100, milliseconds, why="18 stalled")


TARGETS_OF_PRIMITIVES = [condition, semaphore, shared_lock, channel, select, signals, loops_and_threads]
