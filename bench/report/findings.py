# SPDX-License-Identifier: MIT
"""What a target found, and how it is shown."""

import math
from typing import NamedTuple

from results import ratio, value_of
from tables import number, times


class Finding(NamedTuple):
    number: int
    figure: str
    target: str
    found: str
    is_met: bool
    why: str = ""  # the key of an explanation, if it is not met
    miss: float = 0  # how many times worse than the target


def finding(number_, figure, sign, value, limit, show, why):
    """An empty list if there is no value."""
    if math.isnan(value):
        return []
    is_met = value <= limit if sign == "≤" else value >= limit
    found = show(value)
    if not is_met and found == show(limit):
        found = f"{value:.4g}" + found.lstrip("0123456789.")  # enough digits to tell them apart
    miss = (value / limit if limit else value) if sign == "≤" else limit / value if value else math.inf
    return [Finding(number_, figure, f"{sign} {show(limit)}", found, is_met, why, miss)]


def at_most(number_, figure, value, limit, show=times, why=""):
    return finding(number_, figure, "≤", value, limit, show, why)


def at_least(number_, figure, value, limit, show=times, why=""):
    return finding(number_, figure, "≥", value, limit, show, why)


def nanoseconds(value):
    return f"{number(value)} ns"


def size(value):
    return f"{number(value)} B"


def milliseconds(value):
    return f"{number(value)} ms"


def value(record, metric):
    return math.nan if record is None else value_of(record, metric)


def to_floor(results, record, metric="ns"):
    return ratio(record, record and results.floor(record, metric), metric)


def to_best_peer(results, record, metric="ns"):
    return ratio(record, record and results.best_peer(record, metric), metric)
