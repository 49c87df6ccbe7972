# SPDX-License-Identifier: MIT
"""Writes a document in Markdown as HTML: headings with anchors, coloured code, links to pages of the site, names that link to the
reference."""

import pathlib
import posixpath
import re
import textwrap
from html import escape

from markdown_it import MarkdownIt

import layout
import names

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SNIPPET = re.compile(r"^<!--\s*snippet:\s*(\S+)\s*-->\s*$")


def page_of(path):
    """The page of a file or folder of the repository."""
    if path == "README.md":
        return "index.html"
    if path.endswith(".md"):
        return path[:-3] + ".html"
    if path.endswith((".svg", ".png", ".html")):
        return path
    return path + ("/index.html" if (ROOT / path).is_dir() else ".html")


class Document:
    """A document, and what it links to: `wanted` has the files and folders of the repository that must be on the site."""

    def __init__(self, path, index):
        self.path, self.index = path, index
        self.page = page_of(path)
        self.wanted, self.contents, self.title = set(), [], path
        self.anchors = set()
        self.heading = (path, "")  # the one under which the text stands, and its anchor
        self.mentions = []  # (place of a name in the reference, heading, anchor)
        markdown = MarkdownIt("commonmark", {"html": True}).enable("table")
        for rule in ("fence", "code_inline", "heading_open", "link_open", "image", "table_open", "table_close", "html_block"):
            markdown.add_render_rule(rule, self._rule(rule))
        text = (ROOT / path).read_text(encoding="utf-8")
        self.body = markdown.render(text)

    def _rule(self, name):
        method = getattr(self, name)
        return lambda renderer, tokens, place, options, env: method(renderer, tokens, place, options, env)

    def fence(self, _, tokens, place, *__):
        html = layout.highlight(textwrap.dedent(tokens[place].content), tokens[place].info.strip())
        before = tokens[place - 1] if place else None
        match = SNIPPET.match(before.content.strip()) if before is not None and before.type == "html_block" else None
        if match is None:
            return html
        self.wanted.add(match.group(1))
        target = names.relative(page_of(match.group(1)), self.page)
        return f'<figure class="snippet">{html}<figcaption><a href="{target}">{match.group(1)}</a></figcaption></figure>\n'

    def html_block(self, _, tokens, place, *__):
        if tokens[place].content.strip() == "<!-- adapters -->":
            return self.adapters()
        return "" if tokens[place].content.lstrip().startswith("<!--") else tokens[place].content

    def adapters(self):
        """A list of the documents about adapters, as many as there are."""
        rows = []
        for path in sorted((ROOT / "docs/adapters").glob("*.md")):
            target = str(path.relative_to(ROOT))
            self.wanted.add(target)
            title = path.read_text(encoding="utf-8").partition("\n")[0].lstrip("# ")
            rows.append(f'<li><a href="{names.relative(page_of(target), self.page)}">{escape(title)}</a></li>')
        return f"<p>Ready-made:</p>\n<ul>{''.join(rows)}</ul>\n" if rows else ""

    def code_inline(self, _, tokens, place, *__):
        text = tokens[place].content
        code = f"<code>{escape(text)}</code>"
        is_in_link = sum((token.type == "link_open") - (token.type == "link_close") for token in tokens[:place]) > 0
        link = None if is_in_link else self.index.link(text, self.page)
        if place_of_name := self.index.place(text):
            self.mentions.append((place_of_name, *self.heading))
        return f'<a href="{escape(link)}">{code}</a>' if link else code

    def heading_open(self, renderer, tokens, place, options, env):
        inline = tokens[place + 1]
        level = int(tokens[place].tag[1])
        text = "".join(token.content for token in inline.children if token.type in ("text", "code_inline"))
        # As GitHub does, so that a link to a heading works there and here.
        anchor = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
        while anchor in self.anchors:
            anchor += "-1"
        self.anchors.add(anchor)
        self.heading = (text, anchor)
        if level == 1:
            self.title = text
        elif level <= 3:
            self.contents.append((level, anchor, escape(text)))
        return f'<{tokens[place].tag} id="{escape(anchor)}">'

    def link_open(self, renderer, tokens, place, options, env):
        tokens[place].attrSet("href", self.address(tokens[place].attrGet("href")))
        return renderer.renderToken(tokens, place, options, env)

    def image(self, renderer, tokens, place, options, env):
        token = tokens[place]
        address = escape(self.address(token.attrGet("src")))
        alternative = escape("".join(child.content for child in token.children or []))
        return f'<img src="{address}" alt="{alternative}">'

    def table_open(self, *_):
        return '<div class="wide"><table>\n'

    def table_close(self, *_):
        return "</table></div>\n"

    def address(self, address):
        """A link of the repository, as one of the site."""
        if re.match(r"[a-z][a-z0-9+.-]*:", address) or address.startswith("#"):
            return address
        path, _, anchor = address.partition("#")
        target = posixpath.normpath(posixpath.join(posixpath.dirname(self.path), path))
        self.wanted.add(target)
        return names.relative(page_of(target), self.page) + ("#" + anchor if anchor else "")
