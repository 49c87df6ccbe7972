# SPDX-License-Identifier: MIT
"""The commands: `futon waiters`, `futon show`, `futon lock`, `futon loops`."""

import functools
import re

import gdb

from futon_gdb import library
from futon_gdb.kinds import GUARDS, kind, owned_by, primitive_of
from futon_gdb.loops import all_agents
from futon_gdb.report import SHOWN, Report
from futon_gdb.show import is_number, primitives_in, show
from futon_gdb.values import Unreadable, address_of, at, referred
from futon_gdb.waiters import survey


def says_what_is_wrong(invoke):
    @functools.wraps(invoke)
    def wrapped(self, argument, from_tty):
        try:
            invoke(self, argument, from_tty)
        except Unreadable as error:
            raise gdb.GdbError(str(error)) from None
        except gdb.error as error:
            hint = "" if library.tables() or isinstance(error, gdb.MemoryError) else " " + library.missing()
            raise gdb.GdbError(f"futon: {str(error).rstrip('.')}.{hint}") from None

    return wrapped


class Futon(gdb.Command):
    """What futon's wait queues, locks and event loops are at. None of these commands calls a function of the program."""

    def __init__(self):
        super().__init__("futon", gdb.COMMAND_DATA, gdb.COMPLETE_NONE, True)


class Waiters(gdb.Command):
    """futon waiters [-all] [EXPRESSION]

Shows which words have waiters, and for each waiter who it is (a thread; a coroutine, by its function; a promise, and what
awaits it), what it waits in, and since when, where that is recorded: locks record it.

EXPRESSION is a word, an atomic, a primitive, an object with primitives in it, a pointer, or an address: only the waiters there
are shown. Of a long queue the first 32 waiters are shown, with -all every one."""

    def __init__(self):
        super().__init__("futon waiters", gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    @says_what_is_wrong
    def invoke(self, argument, from_tty):
        shown = SHOWN
        argument = argument.strip()
        if argument.split(" ")[0] == "-all":
            shown, argument = None, argument[len("-all"):].strip()
        Report().show_waiters(keys_of(evaluate(argument)) if argument else None, shown)


class Show(gdb.Command):
    """futon show EXPRESSION

Says in words what state a primitive is in, and shows its waiters: an AsyncLock, SharedLock, Semaphore, Condition, Event,
AutoResetEvent, Latch, Barrier, Channel, ByteChannel, Once, Lazy, Guarded, Arbiter, a word or an atomic, a Promise, an EventLoop.

EXPRESSION is one of these, a pointer, a smart pointer or a reference to one, or a guard. Of an object or an array with
primitives in it each is shown, by its path."""

    NAME = "futon show"

    def __init__(self):
        super().__init__(self.NAME, gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    @says_what_is_wrong
    def invoke(self, argument, from_tty):
        if not argument.strip():
            raise gdb.GdbError(f"{self.NAME}: which one? Give it an expression.")
        show(self.meant(evaluate(argument.strip())))

    def meant(self, value):
        return value


class Lock(Show):
    """futon lock EXPRESSION

The same as futon show; but a number is the address of a futon::AsyncLock."""

    NAME = "futon lock"

    def meant(self, value):
        return at(int(value), gdb.lookup_type("futon::AsyncLock")) if is_number(value) else value


class Loops(gdb.Command):
    """futon loops

Shows the event loops of all threads, and the executors that are not futon's: what they have to run, and how many waits."""

    def __init__(self):
        super().__init__("futon loops", gdb.COMMAND_DATA, gdb.COMPLETE_NONE)

    @says_what_is_wrong
    def invoke(self, argument, from_tty):
        threads, _ = survey()
        lines = list(all_agents(threads))
        if not lines and not library.tables():
            raise Unreadable("The loops are not found. " + library.missing())
        print("\n".join(lines) if lines else "No thread has an agent, or gdb cannot read the variables of threads.")


def evaluate(expression):
    """What an expression means; also in a frame of another language or file, as those where threads sleep are."""
    found = re.match(r"([&*]?)([A-Za-z_][\w:]*)(.*)$", expression, re.DOTALL)
    try:
        try:
            return gdb.parse_and_eval(expression)
        except gdb.error:
            for name in (found[2], f"(anonymous namespace)::{found[2]}") if found else ():
                if gdb.lookup_static_symbol(name) or gdb.lookup_global_symbol(name):
                    return gdb.parse_and_eval(f"{found[1]}'{name}'{found[3]}")
            raise
    except gdb.error as error:
        raise gdb.GdbError(str(error)) from None


def keys_of(value):
    """The addresses of the queues that an expression means: more than one of an object with primitives in it."""
    if is_number(value):
        return [int(value)]
    value = referred(value)
    if kind(value.type) == "futon::Word":
        return [address_of(value["cell_"])]
    if kind(value.type) in GUARDS:
        owned = owned_by(value)
        if owned is None:
            raise Unreadable("This guard owns nothing")
        return keys_of(owned)
    keys = [key for _, member in primitives_in(value) for key in primitive_of(member).keys()]
    return keys or [address_of(value)]


def register():
    for command in (Futon, Waiters, Show, Lock, Loops):
        command()
