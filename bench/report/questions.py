# SPDX-License-Identifier: MIT
"""The ten questions: which tables and which plots answer each."""

from typing import NamedTuple


class Table(NamedTuple):
    measure: str
    metrics: dict  # of the results, and what to call each; ratios are of the first
    caption: str = ""


class Plot(NamedTuple):
    file: str
    title: str
    measure: str
    metric: str
    x: str
    x_label: str
    y_label: str
    at: dict = {}  # what else is fixed


class Question(NamedTuple):
    number: int
    name: str  # of its program
    title: str
    tables: list
    plots: list = []


COST = {"ns": "ns", "cpu": "CPU ns"}
ROUND_TRIP = {"ns": "ns", "cpu": "CPU ns", "round trip.p50": "p50", "round trip.p99": "p99", "round trip.p99.9": "p99.9"}
CONTENTION = {
    "ns": "ns a turn",
    "wait.p50": "wait, p50 ns",
    "wait.p99": "wait, p99 ns",
    "wait.p99.9": "wait, p99.9 ns",
    "arrival.p99.9": "wait of who comes at any moment, p99.9 ns",
    "share": "most turns of a thread ÷ least",
    "cpu": "CPU ns a turn",
}
PENDING = {
    "join": "join, ns",
    "join with a deadline": "join with a deadline, ns",
    "leave": "leave, ns",
    "leave with a deadline": "leave with a deadline, ns",
    "arm": "arm a deadline, ns",
    "disarm": "disarm it, ns",
    "time out": "time out, ns",
    "drain": "notify and go on, ns",
    "stack": "stack, bytes",
}


def plots_of_contention(measure, suffix):
    return [
        Plot(f"05_hold_{hold}{suffix}", f"A turn under one lock, held for {hold} ns{', 1 µs between' if suffix else ''}", measure, "ns", "threads", "threads",
             "ns a turn", {"hold_ns": hold})
        for hold in (0, 100, 1000)
    ]


def plots_of_pending(measure, suffix):
    return [
        Plot(f"08_{metric.replace(' ', '_')}{suffix}", f"{label}: {measure}", measure, metric, "waiters", "waiters",
             "ns a waiter")
        for metric, label in (("join", "To join"), ("leave", "To leave"), ("drain", "To be notified and go on"))
    ]


QUESTIONS = [
    Question(1, "01_uncontended_lock", "A lock that nobody else wants",
             [Table("lock + unlock", COST), Table("lock + unlock where blocking is forbidden", COST),
              Table("size of a lock", {"bytes": "bytes"})]),
    Question(2, "02_notify_nobody", "A notify that wakes nobody",
             [Table("nobody waits", COST), Table("asynchronous waiters elsewhere", {"ns": "ns"}),
              Table("threads asleep elsewhere", {"ns": "ns"})],
             [Plot("02_waiters", "A notify that wakes nobody, while others wait elsewhere",
                   "asynchronous waiters elsewhere", "ns", "waiters", "waiters elsewhere", "ns"),
              Plot("02_threads", "A notify that wakes nobody, while threads sleep elsewhere", "threads asleep elsewhere",
                   "ns", "threads", "threads elsewhere", "ns")]),
    Question(3, "03_ping_pong", "Two threads that wake each other",
             [Table("round trip on one core", ROUND_TRIP), Table("round trip between two cores", ROUND_TRIP)]),
    Question(4, "04_idle_waiters", "The same beside idle waiters",
             [Table("round trip beside asynchronous waiters", ROUND_TRIP), Table("round trip beside threads", ROUND_TRIP)],
             [Plot("04_waiters", "A round trip beside idle asynchronous waiters", "round trip beside asynchronous waiters",
                   "ns", "waiters", "idle waiters", "ns"),
              Plot("04_threads", "A round trip beside idle threads", "round trip beside threads", "ns", "waiters",
                   "idle threads", "ns")]),
    Question(5, "05_contended_lock", "A lock that many want",
             [Table("round trip of a cache line", {"ns": "ns", "least": "least of the rounds", "most": "most"}),
              Table("turns under one lock", CONTENTION), Table("turns under one lock, with 1 µs between", CONTENTION)],
             plots_of_contention("turns under one lock", "")
             + plots_of_contention("turns under one lock, with 1 µs between", "_think")),
    Question(6, "06_threads_and_coroutines", "Threads and coroutines at one lock",
             [Table("turns of each kind",
                    {"ns": "ns a turn", "threads_of_fair": "turns of threads ÷ fair",
                     "coroutines_of_fair": "turns of coroutines ÷ fair", "wait.p99": "wait, p99 ns"}),
              Table("a line of threads and coroutines", {"inversions": "inversions", "turns": "turns"})]),
    Question(7, "07_wait_notify_resume", "Wait without blocking, be notified, go on",
             [Table("wait_async + notify + resume", COST)]),
    Question(8, "08_pending_waiters", "A million pending waiters",
             [Table("bytes, a word each", {"bytes": "bytes a waiter"}), Table("bytes, one word", {"bytes": "bytes a waiter"}),
              Table("pending waiters, a word each", PENDING), Table("pending waiters, one word", PENDING)],
             plots_of_pending("pending waiters, a word each", "") + plots_of_pending("pending waiters, one word", "_one_word")),
    Question(9, "09_across_threads", "Notified by another thread",
             [Table("latency", {"ns": "ns", "latency.p50": "p50", "latency.p99": "p99", "latency.p99.9": "p99.9"}),
              Table("burst", {"ns": "ns a signal", "cpu": "CPU ns a signal", "system_calls": "system calls"})],
             [Plot("09_burst", "A burst of signals to a loop", "burst", "ns", "signals", "signals", "ns a signal"),
              Plot("09_system_calls", "System calls of a burst", "burst", "system_calls", "signals", "signals",
                   "system calls")]),
    Question(10, "10_notify_everyone", "Wake everybody",
             [Table("wake all that wait without blocking",
                    {"call_ns": "the call, ns a waiter", "ns": "until the last goes on, ns a waiter"}),
              Table("wake one on each of many loops", {"call_ns": "the call, ns a loop", "ns": "until the last goes on, ns a loop"}),
              Table("wake all threads", {"ns": "until the last goes on, ns a thread", "call_ns": "the call, ns a thread",
                                         "cpu": "CPU ns a thread"})],
             [Plot("10_waiters", "Notify all that wait without blocking", "wake all that wait without blocking", "ns",
                   "waiters", "waiters", "ns a waiter"),
              Plot("10_loops", "Notify one on each of many loops", "wake one on each of many loops", "ns", "loops", "loops",
                   "ns a loop"),
              Plot("10_threads", "Wake all threads", "wake all threads", "ns", "threads", "threads", "ns a thread")]),
]
