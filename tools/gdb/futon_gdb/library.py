# SPDX-License-Identifier: MIT
"""The copies of the library that the process has, and which debug information is missing."""

import os
import re
import types

import gdb

last_search = types.SimpleNamespace(files=None, symbols=[], lists=[])  # what it found, and in which files: it takes long


def tables():
    """The variables that are the wait queues, one of each copy of the library whose debug information is there."""
    search()
    return [symbol.value() for symbol in last_search.symbols]


def lists_of_private_tables():
    """The variables that list the tables which the program has constructed."""
    search()
    return [symbol.value() for symbol in last_search.lists]


def search():
    loaded = gdb.objfiles()
    if loaded != last_search.files or not all(symbol.is_valid() for symbol in last_search.symbols + last_search.lists):
        last_search.files = loaded
        last_search.symbols = find("Shards", "the_shards", "own_shards")
        last_search.lists = find("PrivateTables", "the_private_tables")


def find(kind, *variables):
    names = set()
    for variable in variables:
        text = gdb.execute(f"info variables -q -n \\b{variable}$", to_string=True)
        names |= set(re.findall(rf"^\d+:\s+.*?{kind} ([\w:() ]*{variable});", text, re.MULTILINE))
    return [symbol for name in sorted(names) for symbol in gdb.lookup_static_symbols(name)]


def missing():
    """Why the inside of the library is not known, and what to do about that, in a sentence."""
    if tables():
        return "These commands are of another version of futon than the program, or lack the debug information of a part of it."
    name = shared_library()
    if name is None:
        return "The program has no futon, or one without debug information: build it with -g."
    return f"The debug symbols of {name} are missing: install {package_of(name)} (Debian), or build the library with -g."


def shared_library():
    """The name by which the process has loaded futon's shared library; None where it is linked statically."""
    for objfile in gdb.objfiles():
        for path in (objfile.username, objfile.filename):
            name = os.path.basename(path or "")
            if re.match(r"libfuton\.so(\.\d+)+$", name):
                return name
    return None


def package_of(name):
    """The Debian package with the debug symbols of the library of this name. Before 1.0 each minor version is another ABI."""
    version = name.partition(".so.")[2].split(".")
    return f"libfuton{'.'.join(version[:2 if version[0] == '0' else 1])}-dbgsym"
