# SPDX-License-Identifier: MIT
"""The plot of the server's latencies, as SVG for light and dark pages: bars of p50, p99 and p99.9 on a logarithmic axis."""

import html
import math

WIDTH, LEFT, RIGHT, ROW, TOP = 760, 250, 60, 16, 62
QUANTILES = [("p50", "p50"), ("p99", "p99"), ("p999", "p99.9")]
KINDS = [("ping", "Requests that need no lock"), ("lock", "Requests that need the lock")]
LOW, HIGH = 0.01, 100.0

STYLE = """
text { font: 12px sans-serif; fill: #222 }
.head { font-weight: bold; font-size: 13px }
.back { fill: #fff } .grid { stroke: #ddd }
.p50 { fill: #7fb3d5 } .p99 { fill: #2471a3 } .p999 { fill: #c0392b }
@media (prefers-color-scheme: dark) {
text { fill: #e6e6e6 } .back { fill: #161b22 } .grid { stroke: #333c46 }
.p50 { fill: #3b6a8c } .p99 { fill: #5dade2 } .p999 { fill: #ec7063 }
}
"""


def place(milliseconds):
    value = min(max(milliseconds, LOW), HIGH)
    return LEFT + (WIDTH - LEFT - RIGHT) * math.log10(value / LOW) / math.log10(HIGH / LOW)


def figure(milliseconds):
    return f"{milliseconds:.2f}" if milliseconds < 1 else f"{milliseconds:.1f}"


def in_words(results, locks):
    """What the plot shows, for those who do not see it."""
    parts = []
    for kind, title in KINDS:
        each = ", ".join(f"{name} {figure(results[lock][kind]['p99'])} ms" for lock, name in locks)
        parts.append(f"{title}, p99: {each}.")
    return " ".join(parts)


def svg(results, locks):
    out, y = [], TOP
    for kind, title in KINDS:
        out.append(f'<text class="head" x="12" y="{y + 12}">{html.escape(title)}</text>')
        y += 24
        for lock, name in locks:
            out.append(f'<text x="{LEFT - 10}" y="{y + 1.5 * ROW + 4:.0f}" text-anchor="end">{html.escape(name)}</text>')
            for key, _ in QUANTILES:
                value = results[lock][kind][key]
                end = place(value)
                out.append(f'<rect class="{key}" x="{LEFT}" y="{y}" width="{end - LEFT:.1f}" height="{ROW - 3}"/>')
                out.append(f'<text x="{end + 5:.1f}" y="{y + 11}">{figure(value)}</text>')
                y += ROW
            y += 8
        y += 8
    bottom = y
    grid = []
    for power in range(-2, 3):
        x = place(10.0**power)
        grid.append(f'<line class="grid" x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{bottom}"/>')
        grid.append(f'<text x="{x:.1f}" y="{bottom + 16}" text-anchor="middle">{10.0**power:g} ms</text>')
    legend = []
    for index, (key, name) in enumerate(QUANTILES):
        x = LEFT + 80 * index
        legend.append(f'<rect class="{key}" x="{x}" y="34" width="13" height="13"/><text x="{x + 18}" y="45">{name}</text>')
    height = bottom + 28
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
            ' role="img" aria-labelledby="title text">',
            '<title id="title">How long requests take beside snapshots that hold the lock</title>',
            f'<desc id="text">{html.escape(in_words(results, locks))}</desc>',
            f"<style>{STYLE}</style>",
            f'<rect class="back" width="{WIDTH}" height="{height}"/>',
            '<text class="head" x="12" y="22">Time from when a request is due to its reply; shorter is better</text>',
            *legend,
            *grid,
            *out,
            "</svg>",
            "",
        ]
    )
