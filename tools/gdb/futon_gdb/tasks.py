# SPDX-License-Identifier: MIT
"""Coroutines, promises and agents: what is behind a waiter that is no thread."""

import gdb

from futon_gdb.values import (address_mask, address_of, at, class_name, class_of_table, first_pointer, member, plain, symbol_at,
                              whole, without_arguments, without_parameters)

LONGEST_CHAIN = 32
LONGEST_NAME = 80


def field(value, name):
    """A member of an object, also of a base; None if it has none of that name."""
    try:
        return value[name]
    except gdb.error:
        return None


def is_a(value_type, name):
    """Whether a class is, or derives from, the class, or template, of this name."""
    value_type = value_type.strip_typedefs()
    if value_type.code != gdb.TYPE_CODE_STRUCT:
        return False
    if without_arguments(class_name(value_type)) == name:
        return True
    return any(is_a(base.type, name) for base in value_type.fields() if base.is_base_class)


class Coroutine:
    """A suspended coroutine, by the handle of its frame.

    A frame begins with the pointer to the function that resumes it, which gives the coroutine its name. After the pointer to
    the one that destroys it comes the coroutine's promise; that of a futon coroutine is a reference to the state of the
    promise that its caller got.
    """

    def __init__(self, continuation):
        self.frame = int(first_pointer(continuation["coroutine_"])) & address_mask()
        pointer = gdb.lookup_type("void").pointer()
        self.name, self.place, self.state = "", "", None
        if self.frame == 0:
            return
        self.name, self.place = function_at(int(at(self.frame, pointer)) & address_mask())
        if bool(continuation["is_own_"]):
            state_type = gdb.lookup_type("futon::detail::PromiseStateBase").pointer()
            self.state = at(self.frame + 2 * pointer.sizeof, state_type).dereference()

    def __str__(self):
        return f"coroutine {self.name or hex(self.frame)}" + (f" at {self.place}" if self.place else "")


def function_at(address):
    """The name of the function that begins at an address, and where it is written."""
    if address == 0:
        return "(at its end)", ""
    # The symbol says whose function a lambda is, and what a template is made of; the debug information is there without it.
    name = symbol_at(address).split(" in section")[0]
    block = gdb.block_for_pc(address)
    while not name and block is not None:
        name, block = block.function.print_name if block.function else "", block.superblock
    line = gdb.find_pc_line(address)
    place = f"{line.symtab.filename.split('/')[-1]}:{line.line}" if line.symtab else ""
    return shortened(without_parameters(plain(name))), place


def shortened(name):
    """A name without the arguments of its templates, if it is long."""
    if len(name) <= LONGEST_NAME:
        return name
    short, depth = "", 0
    for character in name:
        depth -= character == ">"
        if depth == 0:
            short += character
        depth += character == "<"
    return short.replace("<>", "<...>")


def listeners(state):
    """What listens to a promise, in words: the oldest first."""
    found = []
    job = state["reactions_"]
    while int(job) != 0 and len(found) < LONGEST_CHAIN:
        found.append(listener(job))
        job = member(job, "next")
    return found[::-1]


def listener(job):
    """A coroutine; or the words for what else it is.

    An awaiter is read by its layout, not by its type: that is named differently by clang and by its symbol. After the base
    come a reference and the continuation.
    """
    name = class_of_table(job) or "something unknown"
    if name.startswith("futon::detail::PromiseAwaiter<"):
        offset = gdb.lookup_type("futon::detail::Reaction").sizeof + job.type.sizeof
        return Coroutine(at(address_of(job) + offset, gdb.lookup_type("futon::detail::Continuation")))
    return "run_until" if name == "futon::SettledListener" else shortened(name)


def awaited_by(state):
    """Who waits for a promise, and who waits for those, in words; empty if nothing does."""
    words = []
    while state is not None and len(words) < LONGEST_CHAIN:
        who = listeners(state)
        if not who:
            break
        words.append(("that by " if words else "awaited by ") + " and ".join(str(one) for one in who))
        state = who[0].state if len(who) == 1 and isinstance(who[0], Coroutine) else None
    return ", ".join(words)


def states_behind(state):
    """The addresses of the states of a promise, of that whose coroutine awaits it, and so on."""
    while state is not None:
        yield address_of(state)
        who = listeners(state)
        state = who[0].state if len(who) == 1 and isinstance(who[0], Coroutine) else None


def describe_agent(agent, threads):
    """Which loop of which thread an agent is."""
    thread = threads.with_slot(address_of(agent["slot_"]))
    executor = agent["executor_"]
    name = "no executor" if int(executor) == 0 else shortened(whole(executor)[1])
    return f"{name} of {thread}" if thread is not None else f"{name} of an unknown thread"
