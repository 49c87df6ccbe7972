# SPDX-License-Identifier: MIT
"""The questions: the programs, tables and plots that answer each."""

from typing import NamedTuple


class Table(NamedTuple):
    measure: str
    metrics: dict  # {name in the results: heading}; ratios are of the first


class Plot(NamedTuple):
    file: str
    title: str
    measure: str
    metric: str
    x: str
    x_label: str
    y_label: str
    at: dict = {}  # the other coordinates of its points


class Frontier(NamedTuple):
    """What is won against what it costs, a point for each contestant: more of `metric` is better, less of `x` is."""
    file: str
    title: str
    measure: str
    metric: str
    x: str  # a metric, too, in nanoseconds; the plot has microseconds
    x_label: str
    y_label: str
    at: dict = {}


class Question(NamedTuple):
    number: int
    programs: list
    title: str
    tables: list
    plots: list = []


COST = {"ns": "ns", "cpu": "CPU ns"}
OWN_OBJECTS = "by threads with objects of their own"
ROUND_TRIP = {"ns": "ns", "cpu": "CPU ns", "round trip.p50": "p50", "round trip.p99": "p99", "round trip.p99.9": "p99.9"}
CONTENTION = {
    "ns": "ns per acquisition",
    "wait.p50": "wait, p50 ns",
    "wait.p99": "wait, p99 ns",
    "wait.p99.9": "wait, p99.9 ns",
    "corrected wait.p99.9": "wait corrected for coordinated omission, p99.9 ns",
    "imbalance": "most ÷ fewest acquisitions of a thread",
    "cpu": "CPU ns per acquisition",
}
MANY_THREADS = {
    "ns": "ns per acquisition",
    "per_ms": "acquisitions per ms",
    "wait.p99.9": "wait, p99.9 ns",
    "longest_ms": "longest wait, ms",
    "imbalance": "most ÷ fewest acquisitions of a thread",
    "unserved": "threads without an acquisition",
    "cpu": "CPU ns per acquisition",
}
PENDING = {
    "enqueue": "enqueue, ns",
    "enqueue with a deadline": "enqueue with a deadline, ns",
    "dequeue": "dequeue, ns",
    "dequeue with a deadline": "dequeue with a deadline, ns",
    "arm": "arm a deadline, ns",
    "disarm": "disarm it, ns",
    "time out": "time out, ns",
    "drain": "notify and resume, ns",
    "stack": "stack, bytes",
}
ALL_ASYNC, ALL_LOOPS, ALL_THREADS = ("notify all asynchronous waiters", "notify one waiter on each of many loops",
                                     "notify all threads")
FEW_LOCK, MANY_LOCK = "contended lock", "contended lock, many threads"
BESIDE_NOTIFY = "another word, beside a notify of very many"
BESIDE_VERBS = "another word, beside what wakes very many"
BESIDE_TIMERS = "a loop with very many timers of one deadline"
AT_ONCE = "many that end at once"
OTHER_ASYNC, OTHER_THREADS = "notify, asynchronous waiters on other words", "notify, threads blocked on other words"
CHANGE = "exchange and notify, asynchronous waiters on other words"
IDLE_ASYNC, IDLE_THREADS = "round trip beside idle asynchronous waiters", "round trip beside idle threads"


NOTIFIED_LOCKED = "condition: notify all with the lock held"
SEMAPHORE_ALONE, SEMAPHORE_THREADS = "acquire + release", "semaphore: 8 threads"
READERS_ONLY, MOSTLY_READERS, WRITER = ("shared lock: readers only", "shared lock: 95 % readers",
                                        "shared lock: a writer among readers")
BETWEEN_THREADS = ["channel: thread → loop", "channel: loop → thread", "channel: 4 → 4 threads"]
BETWEEN_LOOPS = ["channel: loop → loop", "channel: within one loop"]
BESIDE_COMPUTING = "event: round trip beside threads that compute"
SELECT_READY, SELECT_NOT_READY = "select of channels that are ready", "select of channels that are not ready"
BUSY_LOOP, STALLED_LOOPS = "a busy loop beside threads", "threads beside loops that do not run"
GAME = "a game loop with workers"
SERVER_SATURATED, SERVER_PACED = "a server with a cache, saturated", "a server with a cache, paced"
PIPELINES_SATURATED = ["a pipeline, saturated", "a pipeline on one loop, saturated"]
PIPELINES_PACED = ["a pipeline, paced", "a pipeline on one loop, paced"]
REQUESTS = {"request_p50_us": "latency, p50 µs", "request_p99_us": "latency, p99 µs", "request_p999_us": "latency, p99.9 µs"}
PIPED = {"item_p50_us": "item, p50 µs", "item_p99_us": "item, p99 µs", "order_p50_us": "order, p50 µs",
         "order_p99_us": "order, p99 µs"}
ITEMS = {"ns": "ns per item", "item.p50": "latency, p50 ns", "item.p99": "latency, p99 ns", "cpu": "CPU ns per item"}


def round_trips_of_conditions():
    return [f"condition: round trip {where}{how}" for where in ("on one core", "between two cores")
            for how in ("", ", notified with the lock held")]


def plots_of_contention(measure, suffix):
    other_work = ", 1 µs of other work" if suffix else ""
    return [
        Plot(f"05_hold_{hold}{suffix}", f"Contended lock, held for {hold} ns{other_work}", measure, "ns", "threads",
             "threads", "ns per acquisition", {"hold_ns": hold})
        for hold in (0, 100, 1000)
    ]


def plots_of_many_threads():
    return [
        Plot(f"05_many_hold_{hold}", f"Contended lock, many threads, held for {hold} ns", MANY_LOCK, "ns", "threads",
             "threads", "ns per acquisition", {"hold_ns": hold})
        for hold in (0, 100, 1000, 10000)
    ]


def frontiers():
    """Throughput over the long waits."""
    labels = ("wait corrected for coordinated omission, p99.9 µs", "acquisitions per ms")
    return [
        Frontier(f"05_frontier_{threads}", f"A lock held for 100 ns by {threads} threads: throughput and long waits", measure,
                 "per_ms", "corrected wait.p99.9", *labels, {"hold_ns": 100, "threads": threads})
        for measure, threads in ((FEW_LOCK, 8), (MANY_LOCK, 64))
    ]


def plots_of_pending(measure, suffix):
    return [
        Plot(f"08_{metric}{suffix}", f"{label}: {measure}", measure, metric, "waiters", "waiters", "ns per waiter")
        for metric, label in (("enqueue", "Enqueue"), ("dequeue", "Dequeue"), ("drain", "Notify and resume"))
    ]


QUESTIONS = [
    Question(1, ["01_uncontended_lock"], "An uncontended lock",
             [Table("lock + unlock", COST), Table("lock + unlock where blocking is forbidden", COST),
              Table("size of a lock", {"bytes": "bytes"}), Table(OWN_OBJECTS, {"ns": "ns"})]),
    Question(2, ["02_notify_no_waiters"], "A notify without waiters",
             [Table("notify, no waiters", COST), Table(OTHER_ASYNC, {"ns": "ns"}), Table(CHANGE, {"ns": "ns"}),
              Table(OTHER_THREADS, {"ns": "ns"})],
             [Plot("02_waiters", "Notify without waiters, asynchronous waiters on other words", OTHER_ASYNC, "ns",
                   "waiters", "waiters on other words", "ns"),
              Plot("02_threads", "Notify without waiters, threads blocked on other words", OTHER_THREADS, "ns", "threads",
                   "threads on other words", "ns")]),
    Question(3, ["03_ping_pong"], "Two threads that wake each other",
             [Table("round trip on one core", ROUND_TRIP), Table("round trip between two cores", ROUND_TRIP)]),
    Question(4, ["04_idle_waiters"], "A wake beside idle waiters", [Table(IDLE_ASYNC, ROUND_TRIP), Table(IDLE_THREADS, ROUND_TRIP)],
             [Plot("04_waiters", "A round trip beside idle asynchronous waiters", IDLE_ASYNC, "ns", "waiters",
                   "idle waiters", "ns"),
              Plot("04_threads", "A round trip beside idle threads", IDLE_THREADS, "ns", "waiters", "idle threads", "ns")]),
    Question(5, ["05_contended_lock", "05_many_threads"], "A contended lock",
             [Table("round trip of a cache line", {"ns": "ns", "least": "fastest round", "most": "slowest round"}),
              Table(FEW_LOCK, CONTENTION), Table("contended lock, 1 µs of other work", CONTENTION),
              Table(MANY_LOCK, MANY_THREADS)],
             plots_of_contention(FEW_LOCK, "") + plots_of_contention("contended lock, 1 µs of other work", "_work")
             + plots_of_many_threads() + frontiers()),
    Question(6, ["06_threads_and_coroutines"], "Threads and coroutines on one lock",
             [Table("acquisitions by kind",
                    {"ns": "ns per acquisition", "threads_of_fair": "share of threads ÷ fair",
                     "coroutines_of_fair": "share of coroutines ÷ fair",
                     "longest_of_coroutines_ms": "longest wait of a coroutine, ms", "wait.p99": "wait, p99 ns"}),
              Table("threads that only run", {"longest_ms": "longest time without a processor, ms"}),
              Table("queue of threads and coroutines", {"inversions": "inversions", "acquisitions": "acquisitions"})]),
    Question(7, ["07_wait_notify_resume"], "Wait without blocking, be notified, resume",
             [Table("wait_async + notify + resume", COST)]),
    Question(8, ["08_bytes_per_waiter", "08_pending_waiters"], "A million pending waiters",
             [Table("bytes, one word each", {"bytes": "bytes per waiter"}),
              Table("bytes, one shared word", {"bytes": "bytes per waiter"}),
              Table("pending waiters, one word each", PENDING), Table("pending waiters, one shared word", PENDING)],
             plots_of_pending("pending waiters, one word each", "")
             + plots_of_pending("pending waiters, one shared word", "_shared_word")),
    Question(9, ["09_cross_thread_notify"], "Notified by another thread",
             [Table("latency", {"ns": "ns", "latency.p50": "p50", "latency.p99": "p99", "latency.p99.9": "p99.9"}),
              Table("burst", {"ns": "ns per signal", "cpu": "CPU ns per signal", "system_calls": "system calls"})],
             [Plot("09_burst", "A burst of signals to a loop", "burst", "ns", "signals", "signals", "ns per signal"),
              Plot("09_system_calls", "System calls of a burst", "burst", "system_calls", "signals", "signals",
                   "system calls")]),
    Question(10, ["10_notify_all"], "Notify all waiters",
             [Table(ALL_ASYNC, {"call_ns": "the call, ns per waiter", "ns": "until the last resumes, ns per waiter"}),
              Table(ALL_LOOPS, {"call_ns": "the call, ns per loop", "ns": "until the last resumes, ns per loop"}),
              Table(ALL_THREADS, {"ns": "until the last resumes, ns per thread", "call_ns": "the call, ns per thread",
                                  "cpu": "CPU ns per thread"})],
             [Plot("10_waiters", "Notify all asynchronous waiters", ALL_ASYNC, "ns", "waiters", "waiters", "ns per waiter"),
              Plot("10_loops", "Notify one waiter on each of many loops", ALL_LOOPS, "ns", "loops", "loops", "ns per loop"),
              Plot("10_threads", "Notify all threads", ALL_THREADS, "ns", "threads", "threads", "ns per thread")]),
    Question(11, ["11_worst_pause", "11_many_at_once"], "The worst pause beside very many",
             [Table(BESIDE_NOTIFY, {"own_ms": "longest pause, ms", "all_ms": "with the waits for a processor"}),
              Table(BESIDE_VERBS, {"own_ms": "longest pause, ms", "all_ms": "with the waits for a processor"}),
              Table(BESIDE_TIMERS, {"heartbeat_own_ms": "heartbeat late by at most, ms",
                                    "heartbeat_all_ms": "heartbeat, with the waits for a processor",
                                    "posted_own_ms": "posted job late by at most, ms",
                                    "posted_all_ms": "posted job, with the waits for a processor"}),
              Table(AT_ONCE, {"ns": "ns each"})],
             [Plot("11_at_once", "Many that end at once", AT_ONCE, "ns", "waiters", "how many", "ns each")]),
    Question(12, ["12_condition"], "A condition",
             [Table(measure, ROUND_TRIP) for measure in round_trips_of_conditions()]
             + [Table(NOTIFIED_LOCKED, {"ns": "until the last has owned the lock, ns per thread",
                                        "call_ns": "the call, ns per thread", "switches": "context switches per thread",
                                        "cpu": "CPU ns per thread"}),
                Table("size of a condition", {"bytes": "bytes"})]),
    Question(13, ["13_semaphore"], "A semaphore",
             [Table(SEMAPHORE_ALONE, COST),
              Table(SEMAPHORE_THREADS, {"ns": "ns per acquisition", "wait.p99.9": "wait, p99.9 ns",
                                        "imbalance": "most ÷ fewest acquisitions of a thread",
                                        "cpu": "CPU ns per acquisition"}),
              Table("size of a semaphore", {"bytes": "bytes"})]),
    Question(14, ["14_shared_lock"], "A reader-writer lock",
             [Table("shared lock: lock_shared + unlock_shared", COST), Table("shared lock: lock + unlock", COST),
              *(Table(measure, {"ns": "ns per acquisition", "wait.p99.9": "wait, p99.9 ns", "cpu": "CPU ns per acquisition"})
                for measure in (READERS_ONLY, MOSTLY_READERS)),
              Table(WRITER, {"longest_ms": "longest wait of the writer, ms", "writes_per_ms": "writes per ms",
                             "ns": "ns per acquisition"}),
              Table("size of a shared lock", {"bytes": "bytes"})]),
    Question(15, ["15_channel"], "A channel",
             [Table(measure, ITEMS) for measure in BETWEEN_THREADS + BETWEEN_LOOPS]),
    Question(16, ["16_select"], "The first of several channels", [Table(SELECT_READY, COST), Table(SELECT_NOT_READY, COST)]),
    Question(17, ["17_signals"], "Events, latches, barriers, once",
             [Table("event: set + wait", COST), Table("event: round trip on one core", ROUND_TRIP),
              Table("event: round trip between two cores", ROUND_TRIP),
              Table(BESIDE_COMPUTING, ROUND_TRIP), Table("latch", COST), Table("barrier", COST),
              Table("once: done already", COST), Table("size of a signal", {"bytes": "bytes"})]),
    Question(18, ["18_loops_and_threads"], "Loops that are busy, and loops that do not run",
             [Table(BUSY_LOOP, {"longest_ms": "longest wait of the loop, ms", "per_turn": "acquisitions of the loop per turn",
                                "kept": "what threads keep", "idle": "part of the time in which no thread holds it"}),
              Table(STALLED_LOOPS, {"kept": "what threads keep", "longest_ms": "longest wait of a thread, ms",
                                    "longest_alone_ms": "without the loops, ms"})]),
    Question(19, ["19_game_loop"], "A game loop with workers",
             [Table(GAME, {"frame_p99_us": "length of a frame, p99 µs", "frame_p50_us": "length of a frame, p50 µs",
                           "late": "late frames, %", "missed": "frames drawn with an old world, %",
                           "wait_p50_us": "wait for the world, p50 µs", "wait_p99_us": "wait for the world, p99 µs",
                           "ns": "ns per update of the workers", "cpu_of_workers": "CPU ns of the workers per update",
                           "cpu_of_loop": "CPU µs of the loop per frame"})],
             [Plot("19_frame", "Frames of a game loop, p99", GAME, "frame_p99_us", "workers", "workers", "µs"),
              Plot("19_cpu", "Processor time of its workers", GAME, "cpu_of_workers", "workers", "workers", "ns per update")]),
    Question(20, ["20_cached_server"], "A server with a cache",
             [Table(SERVER_SATURATED, {"ns": "ns per request", "cpu": "CPU ns per request"} | REQUESTS),
              Table(SERVER_PACED, {"cpu": "CPU ns per request"} | REQUESTS)],
             [Plot("20_clients", "A server with a cache", SERVER_SATURATED, "ns", "clients", "clients", "ns per request")]),
    Question(21, ["21_pipeline"], "A pipeline that obeys orders",
             [*(Table(measure, {"ns": "ns per item", "cpu": "CPU ns per item"} | PIPED) for measure in PIPELINES_SATURATED),
              *(Table(measure, {"cpu": "CPU ns per item"} | PIPED) for measure in PIPELINES_PACED)]),
]


def questions_asked(records):
    """Those up to the last that has a result: a run of an earlier version has none of the later ones."""
    answered = {record["question"] for record in records}
    last = max((q.number for q in QUESTIONS if answered & set(q.programs)), default=0)
    return [q for q in QUESTIONS if q.number <= last]
