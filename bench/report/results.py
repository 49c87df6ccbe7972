# SPDX-License-Identifier: MIT
"""The results of a run, and queries on them. Of every metric less is better."""

import collections
import math
import statistics

# The contestants whose floor is not the first of its measure.
FLOORS = {"futon, promise": "bare table, heap nodes"}

# The value of a run is that of its worst round.
LONGEST = {"longest_ms", "longest_of_coroutines_ms", "unserved"}

Point = tuple  # ((name, value), ...), sorted by name


def median(values):
    return statistics.median(values) if values else math.nan


class Results:
    def __init__(self, raw):
        self.effort = raw["effort"]
        self.machine = raw["machine"]
        self.versions = raw["versions"]
        self.compiler = raw["compiler"]
        self.renewed = raw.get("renewed", {})  # {question: the machine, when it was measured again}
        self._by_measure = collections.defaultdict(list)
        for record in raw["records"]:
            record["point"] = tuple(sorted(record["at"].items()))
            self._by_measure[record["measure"]].append(record)

    def of(self, measure, *, who=None, kind=None, metric=None, **at):
        """The records of a measure, in the order of the run."""
        for record in self._by_measure.get(measure, ()):
            if who is not None and record["who"] != who:
                continue
            if kind is not None and record["kind"] != kind:
                continue
            if metric is not None and not rounds_of(record, metric):
                continue
            if all(record["at"].get(name) == value for name, value in at.items()):
                yield record

    def one(self, measure, who, **at):
        """The only such record, or None."""
        return next(self.of(measure, who=who, **at), None)

    def points(self, measure, metric):
        return sorted({record["point"] for record in self.of(measure, metric=metric)})

    def floor(self, record, metric):
        floors = list(self.of(record["measure"], kind="floor", metric=metric, **record["at"]))
        own = [floor for floor in floors if floor["who"] == FLOORS.get(record["who"])]
        return next(iter(own or floors), None)

    def best_peer(self, record, metric):
        peers = self.of(record["measure"], kind="peer", metric=metric, **record["at"])
        return min(peers, key=lambda peer: value_of(peer, metric), default=None)


def rounds_of(record, metric):
    """The value of each round; a metric is the name of a value, "cpu" for user and system time, "LATENCY.QUANTILE", or the
    "least" or "most" time of all rounds; "per_ms" is the rate. Of the longest waits the longest counts."""
    rounds = record.get("rounds", {})
    if metric in ("least", "most"):
        return [min(rounds["ns"]) if metric == "least" else max(rounds["ns"])]
    if metric == "per_ms":
        return [1e6 / ns for ns in rounds.get("ns", ())]
    if metric in LONGEST:
        return [max(rounds[metric])] if metric in rounds else []
    if metric == "cpu":
        return [user + system for user, system in zip(rounds.get("user_ns", ()), rounds.get("sys_ns", ()))]
    if "." in metric:
        name, quantile = metric.split(".", 1)
        latency = record.get("latency", {}).get(name)
        return [latency[quantile]] if latency else []
    return rounds.get(metric, [])


def value_of(record, metric):
    return median(rounds_of(record, metric))


def ratio(record, other, metric):
    """The ratio to the other record. If both ran in the same rounds, the median of the ratios of each round, because a
    disturbance of the machine hits both."""
    if record is None or other is None:
        return math.nan
    ours, theirs = rounds_of(record, metric), rounds_of(other, metric)
    if len(ours) == len(theirs) and record["question"] == other["question"] and all(theirs):
        return median([a / b for a, b in zip(ours, theirs)])
    divisor = median(theirs)
    return median(ours) / divisor if divisor else math.nan


def geometric_mean(values):
    return math.exp(statistics.fmean(math.log(value) for value in values)) if values else math.nan


def order(points):
    """The k for which a cost grows as n^k, by least squares over [(n, cost), ...]."""
    points = [(math.log(n), math.log(cost)) for n, cost in points if n > 0 and cost > 0]
    if len(points) < 2:
        return math.nan
    mean_x = statistics.fmean(x for x, _ in points)
    mean_y = statistics.fmean(y for _, y in points)
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) ** 2 for x, _ in points)
