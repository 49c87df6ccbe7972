#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks a built site, `check_site.py FOLDER`: each link and picture leads to a file of the site, and to an anchor of it where
it names one; no name is the anchor of two places of a page; no page needs the network; each picture has an alternative text.
"""

import pathlib
import re
import sys
from html.parser import HTMLParser
from urllib.parse import unquote


class Page(HTMLParser):
    """The links and anchors of a page."""

    def __init__(self, text):
        super().__init__()
        self.links, self.anchors, self.wrong = [], set(), []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        if "id" in attributes:
            if attributes["id"] in self.anchors:
                self.wrong.append(f"two places have the anchor #{attributes['id']}")
            self.anchors.add(attributes["id"])
        for name in ("href", "src"):
            if name in attributes:
                self.links.append((tag, attributes[name]))
        if tag == "img" and not attributes.get("alt"):
            self.wrong.append(f"the picture {attributes.get('src')} has no alternative text")


def check(folder):
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in sorted(folder.rglob("*.html"))}
    links = 0
    for path, page in pages.items():
        name = path.relative_to(folder)
        yield from (f"{name}: {text}" for text in page.wrong)
        for tag, link in page.links:
            links += 1
            if link == "data:,":
                continue
            if re.match(r"[a-z][a-z0-9+.-]*:|//", link):
                if tag != "a":
                    yield f"{name}: <{tag}> needs the network: {link}"
                continue
            target, _, anchor = link.partition("#")
            linked = (path.parent / unquote(target)).resolve() if target else path
            if not linked.is_file():
                yield f"{name}: {link} leads nowhere"
            elif anchor and linked in pages and unquote(anchor) not in pages[linked].anchors:
                yield f"{name}: {link} names no anchor of {linked.relative_to(folder)}"
    if not pages:
        yield f"{folder} has no pages"
    print(f"check_site: {links} links of {len(pages)} pages")


def main():
    wrong = list(check(pathlib.Path(sys.argv[1]).resolve()))
    print("\n".join(wrong), file=sys.stderr, end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
