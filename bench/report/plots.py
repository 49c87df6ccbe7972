# SPDX-License-Identifier: MIT
"""Plots of results, as SVG for light and dark pages: a curve or a point for each contestant, both axes logarithmic."""

import html
import math

from questions import Frontier
from results import value_of

WIDTH, HEIGHT = 720, 420
LEFT, RIGHT, TOP, BOTTOM = 70, 220, 40, 50

FLOORS = ["#000000", "#888888"]
OURS = ["#c0392b", "#e67e22", "#d35400"]
OTHERS = ["#2980b9", "#27ae60", "#8e44ad", "#16a085", "#7f8c8d", "#2c3e50", "#b7950b", "#5d6d7e"]


class Axis:
    """From values to pixels, logarithmic; zero, which has no logarithm, stands before the least value."""

    def __init__(self, values, begin, end):
        positive = [value for value in values if value > 0] or [1]
        self._has_zero = any(value <= 0 for value in values)
        self._low = math.log10(min(positive))
        self._high = math.log10(max(positive))
        if self._high - self._low < 0.5:
            middle = (self._high + self._low) / 2
            self._low, self._high = middle - 0.25, middle + 0.25
        self._begin, self._end = begin, end
        self._first = begin + (end - begin) * (0.1 if self._has_zero else 0)

    def __call__(self, value):
        if value <= 0:
            return self._begin
        part = (math.log10(value) - self._low) / (self._high - self._low)
        return self._first + part * (self._end - self._first)

    def ticks(self):
        """1, 2 and 5 of each power of ten, or the powers alone if there are many."""
        steps = (1, 2, 5) if self._high - self._low < 2.5 else (1,)
        powers = range(math.floor(self._low), math.ceil(self._high) + 1)
        values = [step * 10.0**power for power in powers for step in steps]
        slack = 1e-9
        inside = [v for v in values if self._low - slack <= math.log10(v) <= self._high + slack]
        return ([0.0] if self._has_zero else []) + inside


def tick_label(value):
    if value >= 1e6:
        return f"{value / 1e6:g} M"
    return f"{value / 1e3:g} k" if value >= 1e3 else f"{value:g}"


def text(x, y, content, anchor="middle", **attributes):
    more = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in attributes.items())
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>{html.escape(content)}</text>'


def series_of(results, plot):
    """{who: (kind, [(x, y), ...])}"""
    if isinstance(plot, Frontier):  # the floor is one thread alone, and waits for none
        return {record["who"]: (record["kind"], [(value_of(record, plot.x) / 1e3, value_of(record, plot.metric))])
                for record in results.of(plot.measure, metric=plot.metric, **plot.at) if record["kind"] != "floor"}
    series = {}
    for record in results.of(plot.measure, metric=plot.metric, **plot.at):
        _, points = series.setdefault(record["who"], (record["kind"], []))
        points.append((record["at"][plot.x], value_of(record, plot.metric)))
    return {who: (kind, sorted(points)) for who, (kind, points) in series.items()}


def labels_apart(wanted, least=15):
    """Moves labels apart that would overlap."""
    placed = []
    for height, who in sorted(wanted):
        placed.append((max(height, placed[-1][0] + least) if placed else height, who))
    return {who: height for height, who in placed}


def unsurpassed(points):
    """Those to which no other is better in both, less x and more y."""
    best = []
    for x, y in sorted(points, key=lambda point: (point[0], -point[1])):
        if not best or y > best[-1][1]:
            best.append((x, y))
    return best


def stairs(points, x_axis, y_axis):
    """Around all that can be had: each step is a contestant that no other surpasses in both."""
    best = unsurpassed(points)
    line = f"M{x_axis(best[0][0]):.1f} {HEIGHT - BOTTOM}"
    line += "".join(f"H{x_axis(x):.1f}V{y_axis(y):.1f}" for x, y in best) + f"H{WIDTH - RIGHT}"
    return f'<path d="{line}" fill="none" stroke="#888888" stroke-dasharray="2 3"/>'


def svg(results, plot):
    """The plot, or None if there are fewer than two points."""
    series = series_of(results, plot)
    all_points = [point for _, points in series.values() for point in points]
    if len({x for x, _ in all_points}) < 2:
        return None
    x_axis = Axis([x for x, _ in all_points], LEFT, WIDTH - RIGHT)
    y_axis = Axis([y for _, y in all_points], HEIGHT - BOTTOM, TOP)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        text(LEFT, 22, plot.title, "start", font_size=15),
        text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, plot.x_label),
        text(18, (TOP + HEIGHT - BOTTOM) / 2, plot.y_label,
             transform=f"rotate(-90 18 {(TOP + HEIGHT - BOTTOM) / 2:.0f})"),
    ]
    is_frontier = isinstance(plot, Frontier)
    measured = sorted({x for x, _ in all_points})
    for value in measured if len(measured) <= 8 and not is_frontier else x_axis.ticks():
        parts.append(f'<path d="M{x_axis(value):.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="#e5e5e5"/>')
        parts.append(text(x_axis(value), HEIGHT - BOTTOM + 18, tick_label(value)))
    for value in y_axis.ticks():
        parts.append(f'<path d="M{LEFT} {y_axis(value):.1f}H{WIDTH - RIGHT}" stroke="#e5e5e5"/>')
        parts.append(text(LEFT - 8, y_axis(value) + 4, tick_label(value), "end"))

    if is_frontier:
        parts.append(stairs(all_points, x_axis, y_axis))
    heights = labels_apart([(y_axis(points[-1][1]), who) for who, (_, points) in series.items()])
    floors, ours, others = iter(FLOORS * 9), iter(OURS * 9), iter(OTHERS * 9)
    for who, (kind, points) in series.items():
        color = next(floors if kind == "floor" else ours if kind == "ours" else others)
        dashes = ' stroke-dasharray="5 4"' if kind == "floor" else ""
        thickness = 3 if kind == "ours" else 1.5
        line = " ".join(f"{x_axis(x):.1f},{y_axis(y):.1f}" for x, y in points)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{color}" stroke-width="{thickness}"{dashes}/>')
        parts += [f'<circle cx="{x_axis(x):.1f}" cy="{y_axis(y):.1f}" r="{thickness + 3 * is_frontier:g}" fill="{color}"/>' for x, y in points]
        parts.append(text(WIDTH - RIGHT + 10, heights[who] + 4, who, "start", fill=color,
                          font_weight="bold" if kind == "ours" else "normal"))
    parts.append("</svg>\n")
    return "\n".join(parts)
