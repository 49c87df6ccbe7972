# SPDX-License-Identifier: MIT
"""Tables of results, in Markdown that is readable as source."""

import math
import unicodedata

from results import ratio, value_of


def number(value):
    if value is None or math.isnan(value):
        return "–"
    if value == 0 or abs(value) >= 100:
        return f"{value:,.0f}".replace(",", " ")
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def times(value):
    return "–" if math.isnan(value) else f"{value:.2f}×" if value < 100 else f"{number(value)}×"


def width(text):
    return sum(not unicodedata.combining(letter) for letter in text)


def markdown(header, rows, left=1):
    """The first columns to the left, the others to the right."""
    widths = [max(width(row[i]) for row in [header, *rows]) for i in range(len(header))]

    def line(cells):
        spaces = [" " * (w - width(cell)) for cell, w in zip(cells, widths)]
        padded = [cell + space if i < left else space + cell for i, (cell, space) in enumerate(zip(cells, spaces))]
        return "| " + " | ".join(padded) + " |"

    rule = "|" + "|".join("-" * (w + 2) if i < left else "-" * (w + 1) + ":" for i, w in enumerate(widths)) + "|"
    return "\n".join([line(header), rule, *map(line, rows)])


def is_cost(metric):
    """Whether its ratios say anything: waits and shares differ by orders of magnitude from one peer to the next."""
    return "." not in metric and not metric.endswith(("_ms", "_us")) and metric not in ("imbalance", "stack", "unserved", "late", "missed")


def whole(value):
    return f"{value:,.0f}".replace(",", " ")


def label(point):
    return ", ".join(whole(value) for _, value in point)


def bold_if_ours(record, text):
    return f"**{text}**" if record["kind"] == "ours" else text


def table_of_one_point(results, table):
    """One row for each contestant, the best first; ratios of the first metric."""
    records = list(results.of(table.measure))
    if not records:
        return ""
    metrics = {m: name for m, name in table.metrics.items() if any(not math.isnan(value_of(r, m)) for r in records)}
    if not metrics:
        return ""
    first = next(iter(metrics))
    records.sort(key=lambda record: (record["kind"] != "floor", value_of(record, first)))
    has_floor = len(records) > 1 and any(record["kind"] == "floor" for record in records)
    has_peer = any(record["kind"] == "peer" for record in records)
    header = [table.measure, next(iter(metrics.values()))]
    header += ["÷ floor"] * has_floor + ["÷ best peer"] * has_peer + list(metrics.values())[1:]
    rows = []
    for record in records:
        name = f"{record['who']} (floor)" if record["kind"] == "floor" else record["who"]
        row = [bold_if_ours(record, name), number(value_of(record, first))]
        row += [times(ratio(record, results.floor(record, first), first))] * has_floor
        row += [times(ratio(record, results.best_peer(record, first), first))] * has_peer
        rows.append(row + [number(value_of(record, metric)) for metric in list(metrics)[1:]])
    return markdown(header, rows)


def table_of_points(results, table, metric):
    """One row for each contestant, one column for each point; below them the ratios of futon to floor and best peer."""
    points = results.points(table.measure, metric)
    names = list(dict.fromkeys(record["who"] for record in results.of(table.measure, metric=metric)))
    if not points:
        return ""
    rows, ratios = [], []
    for who in names:
        at_point = [results.one(table.measure, who, **dict(point)) for point in points]
        kind = next(record["kind"] for record in at_point if record)
        name = f"{who} (floor)" if kind == "floor" else f"**{who}**" if kind == "ours" else who
        rows.append([name, *(number(value_of(record, metric)) if record else "–" for record in at_point)])
        if kind != "ours" or not is_cost(metric):
            continue
        for title, find in (("floor", results.floor), ("best peer", results.best_peer)):
            found = [times(ratio(record, record and find(record, metric), metric)) for record in at_point]
            if any(cell != "–" for cell in found):
                ratios.append([f"{who} ÷ {title}", *found])
    x = ", ".join(name.removesuffix("_ns") for name, _ in points[0])
    return markdown([f"{table.metrics[metric]}, by {x}", *map(label, points)], rows + ratios)


def tables_of_question(results, question, *, folded=False):
    """A measure with many points has a table for each metric; `folded` hides all but the first."""
    found = []
    for table in question.tables:
        if any(record["at"] for record in results.of(table.measure)):
            parts = [part for metric in table.metrics if (part := table_of_points(results, table, metric))]
            if not parts:
                continue
            shown, hidden = (parts[:1], parts[1:]) if folded else (parts, [])
            text = "\n\n".join([f"**{table.measure[0].upper()}{table.measure[1:]}**", *shown])
            if hidden:
                others = "; ".join(list(table.metrics.values())[1:])
                text += f"\n\n<details><summary>{others}</summary>\n\n" + "\n\n".join(hidden) + "\n\n</details>"
            found.append(text)
        else:
            text = table_of_one_point(results, table)
            if text:
                found.append(text)
    return found
