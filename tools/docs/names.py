# SPDX-License-Identifier: MIT
"""Finds the page of the reference on which a name of the library stands."""

import os
import re

import doxygen

WORD = re.compile(r"[A-Za-z_~][\w]*(?:::~?[A-Za-z_]\w*)*")
# Names of the library that mean something else as a rule, where they stand alone in a text.
COMMON = {"value", "name", "swap", "run", "all", "left", "check", "moved", "queued", "begin", "end", "proceed", "abandon", "attempt",
          "get", "wait_ok", "table_of"}


def page_of(header):
    return "reference/" + header.removeprefix("futon/").removesuffix(".hpp") + ".html"


class Index:
    """The names, and where they are."""

    def __init__(self, names):
        self.places = {}
        own = set(doxygen.headers(doxygen.INCLUDES[0]))
        self._add([name for name in names if name.header in own])
        self._add([name for name in names if name.header not in own])  # what an adapter names alike is not what a text means

    def _add(self, names, page=None):
        for name in names:
            home = page or page_of(name.header)  # a nested class stands with its outer one, wherever it is defined
            place = home + "#" + name.anchor
            space = doxygen.namespace_of(name.scope + "::" + name.short)
            bare = [name.name] if space in ("futon", "futon::core", "") else []  # `async` is not that of an adapter
            for spelling in (*bare, f"{space}::{name.name}", f"{space}::{name.name}".removeprefix("futon::")):
                # Of functions with one name, the first that has a comment of its own.
                self.places.setdefault(spelling, place)
            self._add(name.members, home)

    def list(self):
        """Each name and its place, once."""
        return sorted([name, place] for name, place in self.places.items() if not name.startswith(("futon::", "core::", "::")))

    def place(self, spelling):
        """The place of a name as it is written in a text: `lock.scoped_lock_async(limit)` is none, `AsyncLock::unlock()` is."""
        match = WORD.match(spelling)
        if match is None or (rest := spelling[match.end():]) and not rest.startswith(("(", "<")):
            return None
        name = match.group()
        if name in COMMON and "(" not in spelling or name == "futon":
            return None
        return self.places.get(name)

    def link(self, spelling, page):
        """The address of a name's place, as a page refers to it."""
        place = self.place(spelling)
        return None if place is None else relative(place, page)


def relative(target, page):
    """The address of a place of the site, as a page refers to it."""
    path, _, anchor = target.partition("#")
    address = "" if path == page and anchor else os.path.relpath(path, os.path.dirname(page) or ".")
    return address + ("#" + anchor if anchor else "")
