# SPDX-License-Identifier: MIT
"""The pages of the reference: one for each public header, and one that lists them by topic."""

import re
from html import escape

import doc_html
import doxygen
import layout
import names
import pages
from declarations import declaration

KINDS = {"class": "class", "struct": "struct", "concept": "concept", "enum": "enumeration", "typedef": "alias", "define": "macro",
         "variable": "constant", "function": "function", "friend": "function"}


def introduction(header):
    """The comment that begins a header which only includes others, as text."""
    lines = []
    for line in doxygen.source_of(header):
        if line.startswith("///"):
            lines.append(line[3:].strip())
        elif lines:
            break
    return " ".join(lines)


class Reference:
    """Writes the reference of these names."""

    def __init__(self, top, index, frame, mentions):
        self.by_header = {}
        for name in top:
            self.by_header.setdefault(name.header, []).append(name)
        self.index, self.frame, self.mentions = index, frame, mentions

    def pages(self):
        for header in pages.headers():
            page = names.page_of(header)
            yield page, self.header_page(header, page)
        yield "reference/index.html", self.overview()

    def header_page(self, header, page):
        writer = doc_html.Writer(self.index, page, layout.highlight)
        self.seen = set()
        entries = self.by_header.get(header, [])
        body = [f"<h1><code>{header}</code></h1>\n", layout.highlight(f"#include <{header}>")]
        if not entries:
            body.append(self.includes(header, page))
        contents = []
        for group in doxygen.groups([entry for entry in entries if "<" not in entry.name]):
            body.append(self.entry(group, writer))
            contents += [row for row in self.contents(group) if row not in contents]
        return self.frame.page(page, header, "".join(body), contents)

    def others(self, header, page):
        """The names that a header brings into `futon` by using-declarations, and the nested classes that it defines."""
        found = []
        for line in doxygen.source_of(header):
            if match := re.match(r"using (core::\w+);|(?:class|struct) (?:\[\[.*?\]\] |FUTON_API |FUTON_WARN_UNUSED )*(\w+(?:<\w+>)?::[\w:]+)", line):
                name = re.sub(r"<\w+>", "", match.group(1) or match.group(2))
                if link := self.index.link(name, page):
                    found.append(f'<a href="{escape(link)}"><code>{escape(name)}</code></a>')
        return ", ".join(dict.fromkeys(found))

    def includes(self, header, page):
        if names_here := self.others(header, page):
            return f"<p>{escape(introduction(header))}</p>\n<p>It brings what is told elsewhere: {names_here}.</p>\n"
        rows = []
        for line in doxygen.source_of(header):
            if line.startswith("#include <futon/") and (target := line[10:].partition(">")[0]) in pages.headers():
                rows.append(f'<li><a href="{names.relative(names.page_of(target), page)}"><code>{target}</code></a></li>')
        text = escape(introduction(header))
        return f"<p>{text}</p>\n" + (f"<p>It includes:</p>\n<ul>{''.join(rows)}</ul>\n" if rows else "")

    def contents(self, group):
        name = group[0]
        rows = [(2, name.anchor, escape(name.name))]  # of functions with one name, the first
        seen = {name.name}
        for member in name.members:
            if member.name not in seen and member.has_comment():
                seen.add(member.name)
                rows.append((3, member.anchor, escape(member.short)))
        return rows

    def entry(self, group, writer, is_member=False):
        first = group[0]
        titles = list(dict.fromkeys(name.short if is_member else name.name for name in group))
        anchors = []
        for name in group:
            if name.anchor not in self.seen:
                self.seen.add(name.anchor)
                anchors.append(name.anchor)
        ids = "".join(f'<span id="{escape(anchor)}"></span>' for anchor in anchors[1:])
        own = f' id="{escape(anchors[0])}"' if anchors else ""
        link = f' <a class="anchor" href="#{escape(anchors[0])}" aria-label="link to this">#</a>' if anchors else ""
        level = "h3" if is_member else "h2"
        heading = ", ".join(f"<code>{escape(title)}</code>" for title in titles)
        kind = KINDS.get(first.kind, "") + (", protected" if first.access == "protected" else "")
        text = "\n".join(declaration(name) for name in group)
        parts = [f'<section class="entry"{own}>{ids}<span class="place">{kind}</span><{level}>{heading}{link}</{level}>',
                 layout.highlight(text).replace("<pre", '<pre class="declaration"', 1), writer.comment(first.xml)]
        if not is_member:
            parts.append(self.read_more(first, writer.page))
        if first.kind == "enum":
            parts.append(self.values(first, writer))
        if first.members:
            parts.append('<div class="nested">')
            parts += [self.entry(inner, writer, True) for inner in doxygen.groups(self.shown(first))]
            parts.append("</div>")
        parts.append("</section>\n")
        return "".join(parts)

    def read_more(self, name, page):
        """Where the documents speak of a name."""
        places = self.mentions.get(names.page_of(name.header) + "#" + name.anchor, [])
        links = [f'<a href="{escape(names.relative(target, page))}">{escape(title)}</a>' for target, title in places[:6]]
        return f'<p class="more">Read more: {" · ".join(links)}</p>\n' if links else ""

    @staticmethod
    def shown(name):
        """The members, without what the class hides in itself and what only forbids."""
        return [member for member in name.members if "<" not in member.name or member.short.startswith("operator")]

    @staticmethod
    def values(name, writer):
        rows = []
        for value in name.xml.findall("enumvalue"):
            text = writer.comment(value)
            if text:
                rows.append(f"<tr><td><code>{value.findtext('name')}</code></td><td>{text}</td></tr>")
        return f"<table>{''.join(rows)}</table>" if rows else ""

    def overview(self):
        page = "reference/index.html"
        body = ["<h1>Reference</h1>\n<p><code>#include &lt;futon/futon.hpp&gt;</code> brings all that users need; each header can be ",
                "included alone. What authors of locks, adapters and loops need is in <code>futon/core/</code>.</p>\n"]
        contents = []
        for number, (topic, headers) in enumerate(pages.REFERENCE):
            contents.append((2, f"topic{number}", escape(topic)))
            body.append(f'<h2 id="topic{number}">{escape(topic)}</h2>\n<div class="wide"><table><tr><th>header</th><th>names</th></tr>')
            for header in (f"futon/{name}.hpp" for name in headers):
                shown = {}
                for name in self.by_header.get(header, []):
                    if "<" not in name.name and "operator" not in name.name:
                        shown.setdefault(name.name, names.relative(names.page_of(header) + "#" + name.anchor, page))
                links = ", ".join(f'<a href="{escape(link)}"><code>{escape(name)}</code></a>' for name, link in shown.items())
                links = links or self.others(header, page)
                target = names.relative(names.page_of(header), page)
                body.append(f'<tr><td><a href="{target}"><code>{header.removeprefix("futon/")}</code></a></td><td>{links}</td></tr>')
            body.append("</table></div>\n")
        return self.frame.page(page, "Reference", "".join(body), contents)
