# SPDX-License-Identifier: MIT
"""The targets of the programs: that none of what one needs of a lock or a channel is bought with the rest."""

from findings import Finding, at_most, value
from questions import GAME, PIPELINES_PACED, PIPELINES_SATURATED, SERVER_PACED, SERVER_SATURATED
from results import ratio, value_of
from tables import whole

# A latency can be bought: by polling for ever, or in the game by letting the workers do less. So it is compared with those of peers
# that cost at most this many times as much; with all, if none does.
LIKE_COST = 1.25
MISSES = 1  # percent of the frames: a peer that draws more of them with an old world does less than the others


def to_best(ours, peers, metric):
    best = min(peers, key=lambda peer: value_of(peer, metric), default=None)
    return ratio(ours, best, metric)


def of_like_cost(ours, peers, metrics):
    return [peer for peer in peers
            if all(value_of(peer, metric) <= LIKE_COST * value_of(ours, metric) for metric in metrics)] or peers


def is_awaited(record):
    return not record["who"].endswith("polled")


def game_loop(results):
    for ours in filter(is_awaited, results.of(GAME, kind="ours")):
        where = f"{ours['who'].removeprefix('futon::')}, workers: {whole(ours['at']['workers'])}"
        peers = [peer for peer in results.of(GAME, kind="peer", **ours["at"]) if value_of(peer, "missed") <= MISSES]
        missed = value(ours, "missed")
        yield Finding(19, f"{where}, frames with an old world", "0 %", f"{missed:.0f} %", missed == 0, "19 frame", missed)
        costs = {"ns": "time", "cpu_of_workers": "CPU"}
        yield from at_most(19, f"{where}, p99 of a frame ÷ best peer of like cost without misses",
                           to_best(ours, of_like_cost(ours, peers, costs), "frame_p99_us"), 1.0, why="19 frame")
        for metric, what in costs.items():
            yield from at_most(19, f"{where}, {what} per update ÷ best peer without misses", to_best(ours, peers, metric), 1.1, why="19 workers")


def beside_best(number, where, ours, peers, metric, names, limit):
    is_latency = metric.endswith("_us")
    compared = of_like_cost(ours, peers, ["cpu"]) if is_latency else peers
    yield from at_most(number, f"{where}, {ours['who'].removeprefix('futon::')}, {names[metric]} ÷ best peer{' of like cost' * is_latency}",
                       to_best(ours, compared, metric), limit, why=f"{number} {'latency' if is_latency else 'cost'}")


def cached_server(results):
    for measure, metrics in ((SERVER_SATURATED, ("ns", "cpu")), (SERVER_PACED, ("cpu", "request_p99_us", "request_p999_us"))):
        for ours in results.of(measure, kind="ours"):
            peers = list(results.of(measure, kind="peer", **ours["at"]))
            at = f", {whole(ours['at']['clients'])} clients" if ours["at"] else ""
            for metric in metrics:
                names = {"ns": "time", "cpu": "CPU", "request_p99_us": "p99", "request_p999_us": "p99.9"}
                yield from beside_best(20, f"{measure}{at}", ours, peers, metric, names, 1.05)


def pipeline(results):
    for measures, metrics in ((PIPELINES_SATURATED, ("ns", "cpu")), (PIPELINES_PACED, ("cpu", "item_p99_us", "order_p99_us"))):
        for measure in measures:
            for ours in results.of(measure, kind="ours"):
                peers = list(results.of(measure, kind="peer"))
                for metric in metrics:
                    names = {"ns": "time", "cpu": "CPU", "item_p99_us": "p99 of an item", "order_p99_us": "p99 of an order"}
                    yield from beside_best(21, measure, ours, peers, metric, names, 1.0)


TARGETS_OF_PROGRAMS = [game_loop, cached_server, pipeline]
