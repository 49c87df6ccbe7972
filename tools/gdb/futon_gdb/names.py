# SPDX-License-Identifier: MIT
"""The names that a program with futon::diagnostics gave its objects by `futon::name`."""

import bisect

import gdb

from futon_gdb.values import at


class Names:
    """All of them, read once: none if the program has no diagnostics, or no debug information of them."""

    def __init__(self):
        self.found = []  # address, size, text; by address
        try:
            registry = gdb.parse_and_eval("'futon::diagnostics::detail::Registry::get()::registry'").referenced_value()
            self.found = sorted((int(key), int(name["size"]), text_of(name["text"])) for key, name in nodes(registry["names"]))
        except (gdb.error, gdb.MemoryError, RuntimeError):
            pass

    def name(self, address):
        """Of the object at an address, or in which it lies; empty if it has none."""
        index = bisect.bisect(self.found, (address, float("inf"), "")) - 1
        if index < 0:
            return ""
        begin, size, text = self.found[index]
        return text if address - begin < size else ""


def nodes(container):
    """The keys and values of a std::map of libstdc++."""
    pair = container.type.strip_typedefs().template_argument(3).template_argument(0)
    tree = container["_M_t"]["_M_impl"]
    pending = [tree["_M_header"]["_M_parent"]]
    while pending:
        node = pending.pop()
        if int(node) == 0:
            continue
        entry = at(int(node) + node.dereference().type.sizeof, pair)
        yield entry["first"], entry["second"]
        pending += [node["_M_left"], node["_M_right"]]


def text_of(string):
    return string["_M_dataplus"]["_M_p"].string(length=int(string["_M_string_length"]), errors="replace")
