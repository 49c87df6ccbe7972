# SPDX-License-Identifier: MIT
"""Compares the names that modules/futon.cppm exports with the public names of the library's headers."""

import re

import doxygen

MODULE = "modules/futon.cppm"
NAMESPACES = ("futon", "futon::core")


def exported():
    text = (doxygen.ROOT / MODULE).read_text(encoding="utf-8")
    return re.findall(r"^using ([\w:]+(?: co_await)?);$", text, re.MULTILINE)


def differences(top):
    """Each public name of a class, function, concept, alias or variable, but for those of the adapters, is exported once."""
    own = set(doxygen.headers(doxygen.INCLUDES[0]))
    public = {f"{name.scope}::{name.short}" for name in top
              if name.scope in NAMESPACES and name.header in own and "<" not in name.name}
    names = exported()
    for name in sorted(public - set(names)):
        yield f"{MODULE}: lacks `using {name};`"
    for name in sorted(set(names) - public):
        yield f"{MODULE}: {name} is no public name of a header"
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"{MODULE}: exports {name} twice"
