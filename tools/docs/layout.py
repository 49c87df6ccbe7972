# SPDX-License-Identifier: MIT
"""The frame around each page: the menu, the contents of the page, and the colours of code."""

from html import escape

from pygments import highlight as pygments_highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

import names

LANGUAGES = {"sh": "bash", "cmake": "cmake", "cpp": "cpp", "js": "javascript", "py": "python", "json": "json", "yaml": "yaml"}


def highlight(code, language="cpp"):
    try:
        lexer = get_lexer_by_name(LANGUAGES.get(language, "text"))
    except ClassNotFound:
        lexer = get_lexer_by_name("text")
    colours = pygments_highlight(code.rstrip("\n"), lexer, HtmlFormatter(nowrap=True))
    return f'<pre tabindex="0"><code>{colours.rstrip()}</code></pre>\n'


def style_of_code():
    """Two palettes, for light and for dark screens."""
    def rules(style):
        lines = HtmlFormatter(style=style).get_style_defs("pre code").splitlines()
        return "\n".join(line for line in lines if line.startswith("pre code .") and ".err" not in line)

    return f"{rules('default')}\n@media (prefers-color-scheme: dark) {{\n{rules('github-dark')}\n}}\n"


class Layout:
    """Writes whole pages. The menu is a list of (section, [(page, title)])."""

    def __init__(self, menu):
        self.menu = menu

    def navigation(self, page):
        parts, has_heading = [], False
        for section, entries in self.menu:
            if not entries:
                continue
            is_open = any(target == page for target, _ in entries)
            rows = []
            for target, title in entries:
                here = ' aria-current="page"' if target == page else ""
                rows.append(f'<li><a href="{escape(names.relative(target, page))}"{here}>{escape(title)}</a></li>')
            shown = " open" if is_open or not section.startswith("Reference") else ""
            if section.startswith("Reference") and not has_heading:
                has_heading = True
                parts.append(f'<p class="group"><a href="{escape(names.relative("reference/index.html", page))}">Reference</a></p>')
            label = section.removeprefix("Reference: ")
            parts.append(f"<details{shown}><summary>{escape(label)}</summary><ul>{''.join(rows)}</ul></details>")
        return "".join(parts)

    def page(self, page, title, body, contents=()):
        def link(target):
            return escape(names.relative(target, page))

        rows = "".join(f'<li class="level{level}"><a href="#{escape(anchor)}">{text}</a></li>' for level, anchor, text in contents)
        aside = f'<aside><nav aria-label="On this page"><h2>On this page</h2><ul>{rows}</ul></nav></aside>' if len(contents) > 1 else ""
        menu = self.navigation(page)
        return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{escape(title)} · futon</title>
<link rel="stylesheet" href="{link('style.css')}">
<link rel="icon" href="data:,">
</head>
<body>
<a class="skip" href="#content">To the content</a>
<header><a class="home" href="{link('index.html')}">futon</a>
<span class="motto">one wait queue for threads and event loops</span>
<form role="search"><input id="search" type="search" placeholder="Find a name" aria-label="Find a name of the library" autocomplete="off" data-root="{link('index.html').removesuffix('index.html')}"><ul id="found"></ul></form>
<a href="{link('docs/start.html')}">Start</a> <a href="{link('docs/cookbook.html')}">Cookbook</a> <a href="{link('reference/index.html')}">Reference</a></header>
<details class="narrow-menu"><summary>Menu</summary><nav aria-label="Menu">{menu}</nav></details>
<div class="columns">
<nav class="menu" aria-label="Site">{menu}</nav>
<main id="content">
{body}
</main>
{aside}
</div>
<script src="{link('names.js')}"></script>
<script src="{link('search.js')}"></script>
</body>
</html>
"""
