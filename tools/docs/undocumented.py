# SPDX-License-Identifier: MIT
"""Finds the public names that no comment describes."""

import doxygen

# What each operation has; core::Operation says what it means.
OF_OPERATIONS = {"Result", "name", "wake_is_final", "key", "try_now", "check", "woken", "give_back", "result", "left", "request",
                 "try_spinning", "polls_for_wake_up", "is_likely_to_wait", "queued", "moved", "table", "place", "joins", "outlasts", "has_outlasted", "begin"}
# What the language or the standard library gives a meaning to.
OF_THE_LANGUAGE = {"await_ready", "await_suspend", "await_resume", "promise_type", "value_type", "iterator_concept",
                   "iterator_category", "difference_type", "get_return_object", "initial_suspend", "final_suspend",
                   "unhandled_exception", "return_value", "return_void", "begin", "end"}


def speaks_for_itself(name):
    """Special member functions, operators, what overrides a function of a base, what is deleted."""
    xml, short = name.xml, name.short
    arguments = xml.findtext("argsstring") or ""
    of_class = name.name.split("::")[-2] if "::" in name.name else ""
    return (short in OF_THE_LANGUAGE or short.startswith(("~", "operator")) or short == of_class
            or "=delete" in arguments.replace(" ", "") or "override" in arguments or xml.find("reimplements") is not None
            or name.kind == "friend" and not arguments
            or (short in OF_OPERATIONS and of_class != ""))


def undocumented(names):
    for group in doxygen.groups(names):
        first = group[0]
        if "<" in first.name or first.short.endswith("_"):
            continue  # a specialization is what its template is; what ends in _ is for derived classes of the library
        if not first.has_comment() and not all(speaks_for_itself(name) for name in group):
            is_redeclared = any(other.has_comment() and other.name == first.name for other in names)
            if not is_redeclared:
                yield f"{doxygen.path_of(first.header).relative_to(doxygen.ROOT)}:{first.line}: {first.scope}::{first.short} is not documented"
        for name in group:
            yield from undocumented(name.members)
