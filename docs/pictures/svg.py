# SPDX-License-Identifier: MIT
"""What the pictures are drawn with: boxes, arrows and words, as an SVG with a title and a description, for light and dark screens."""

from html import escape

STYLE = """
text { font: 15px system-ui, "Segoe UI", "DejaVu Sans", sans-serif; fill: #1d2330; }
.small { font-size: 12.5px; fill: #5b6475; } .strong { font-weight: 600; } .code { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: 13.5px; }
.box { fill: #f5f6f9; stroke: #8f99aa; } .thread { fill: #dcebff; stroke: #3b78c4; } .task { fill: #e4f5df; stroke: #4b9440; }
.hot { fill: #ffe9cf; stroke: #cc7a15; } .paper { fill: #ffffff; }
.line { stroke: #5b6475; fill: none; stroke-width: 1.6; } .head { fill: #5b6475; }
@media (prefers-color-scheme: dark) {
  text { fill: #dfe3ea; } .small { fill: #a5afbf; } .box { fill: #242a34; stroke: #6b7689; } .thread { fill: #1d3655; stroke: #6aa5f0; }
  .task { fill: #1f3d1c; stroke: #74c266; } .hot { fill: #4a3313; stroke: #e39a3f; } .paper { fill: #14171d; }
  .line { stroke: #a5afbf; } .head { fill: #a5afbf; }
}
"""


class Picture:
    def __init__(self, width, height, title, description):
        self.size, self.title, self.description, self.parts = (width, height), title, description, []

    def text(self, x, y, words, style="", anchor="middle"):
        kind = f' class="{style}"' if style else ""
        self.parts.append(f'<text x="{x}" y="{y}" text-anchor="{anchor}"{kind}>{escape(words)}</text>')

    def box(self, x, y, width, height, lines, style="box", sizes=("strong", "small", "small")):
        """A rounded box with centred lines: the first is its name."""
        self.parts.append(f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="8" class="{style}"/>')
        top = y + height / 2 - (len(lines) - 1) * 9.5 + 5
        for number, line in enumerate(lines):
            self.text(x + width / 2, round(top + number * 19, 1), line, sizes[min(number, len(sizes) - 1)])

    def bar(self, x, y, width, height, style):
        self.parts.append(f'<rect x="{x}" y="{y}" width="{round(width, 1)}" height="{height}" rx="3" class="{style}"/>')

    def arrow(self, *points):
        """A line through these points, with a head at its end."""
        path = "M" + " L".join(f"{x} {y}" for x, y in points)
        self.parts.append(f'<path d="{path}" class="line" marker-end="url(#head)"/>')

    def curve(self, x0, y0, x1, y1, x2, y2):
        self.parts.append(f'<path d="M{x0} {y0} Q{x1} {y1} {x2} {y2}" class="line" marker-end="url(#head)"/>')

    def svg(self):
        width, height = self.size
        return "\n".join([
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img"'
            ' aria-labelledby="title description">',
            f'<title id="title">{escape(self.title)}</title>',
            f'<desc id="description">{escape(self.description)}</desc>',
            f"<style>{STYLE}</style>",
            '<defs><marker id="head" markerWidth="9" markerHeight="9" refX="8" refY="4.5" orient="auto">'
            '<path d="M0 0.8 L9 4.5 L0 8.2 z" class="head"/></marker></defs>',
            f'<rect width="{width}" height="{height}" class="paper"/>', *self.parts, "</svg>", ""])
