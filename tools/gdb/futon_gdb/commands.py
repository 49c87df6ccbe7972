# SPDX-License-Identifier: MIT
"""The commands: `futon waiters`, `futon lock`, `futon loops`."""

import functools
import re

import gdb

from futon_gdb.lock import LockState, as_lock, is_number
from futon_gdb.loops import all_agents
from futon_gdb.table import queues
from futon_gdb.values import Unreadable, address_of, at, plain
from futon_gdb.waiters import Waiter, grouped, survey

SHOWN = 32  # waiters of one word, unless more are asked for


def says_what_is_wrong(invoke):
    @functools.wraps(invoke)
    def wrapped(self, argument, from_tty):
        try:
            invoke(self, argument, from_tty)
        except Unreadable as error:
            raise gdb.GdbError(str(error)) from None
        except gdb.error as error:
            raise gdb.GdbError(f"futon: {error}") from None

    return wrapped


class Futon(gdb.Command):
    """What futon's wait queues, locks and event loops are at. None of these commands calls a function of the program."""

    def __init__(self):
        super().__init__("futon", gdb.COMMAND_DATA, gdb.COMPLETE_NONE, True)


class Waiters(gdb.Command):
    """futon waiters [-all] [EXPRESSION]

Shows which words have waiters, and for each waiter who it is (a thread; a coroutine, by its function; a promise, and what
awaits it), what it waits in, and since when, where that is recorded: locks record it.

EXPRESSION is a word, an atomic, a lock, a pointer, or an address: only the waiters there are shown. Of a long queue the first
32 waiters are shown, with -all every one."""

    def __init__(self):
        super().__init__("futon waiters", gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    @says_what_is_wrong
    def invoke(self, argument, from_tty):
        shown = SHOWN
        argument = argument.strip()
        if argument.split(" ")[0] == "-all":
            shown, argument = None, argument[len("-all"):].strip()
        wanted = key_of(evaluate(argument.strip())) if argument else None
        show_waiters(wanted, shown)


class Lock(gdb.Command):
    """futon lock EXPRESSION

Says in words what state a futon::AsyncLock is in, and shows its waiters. EXPRESSION is a lock, a pointer to one, its address
as a number, or a guard."""

    def __init__(self):
        super().__init__("futon lock", gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    @says_what_is_wrong
    def invoke(self, argument, from_tty):
        if not argument.strip():
            raise gdb.GdbError("futon lock: which lock?")
        state = LockState(as_lock(evaluate(argument.strip())))
        if state.address is None:
            raise Unreadable("this lock is in no memory")
        print(f"futon::AsyncLock at {state.address:#x}: {state.summary()}")
        for line in state.sentences():
            print(f"  {line}")
        show_waiters(state.address, SHOWN)


class Loops(gdb.Command):
    """futon loops

Shows the event loops of all threads, and the executors that are not futon's: what they have to run, and how many waits."""

    def __init__(self):
        super().__init__("futon loops", gdb.COMMAND_DATA, gdb.COMPLETE_NONE)

    @says_what_is_wrong
    def invoke(self, argument, from_tty):
        threads, _ = survey()
        lines = list(all_agents(threads))
        print("\n".join(lines) if lines else "No thread has an agent, or gdb cannot read the variables of threads.")


def evaluate(expression):
    """What an expression means; also in a frame of another language or file, as those where threads sleep are."""
    try:
        return gdb.parse_and_eval(expression)
    except gdb.error:
        found = re.match(r"([&*]?)([A-Za-z_][\w:]*)(.*)$", expression, re.DOTALL)
        for name in (found[2], f"(anonymous namespace)::{found[2]}") if found else ():
            if gdb.lookup_static_symbol(name) or gdb.lookup_global_symbol(name):
                return gdb.parse_and_eval(f"{found[1]}'{name}'{found[3]}")
        raise


def key_of(value):
    """The address of the queue that an expression means."""
    if is_number(value):
        return int(value)
    kind = value.type.strip_typedefs()
    if kind.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
        return key_of(value.referenced_value())
    name = plain(kind.unqualified().name or "")
    if name.startswith("futon::Word<"):
        return address_of(value["cell_"])
    if name == "futon::AsyncLock::Guard":
        return address_of(as_lock(value))
    return address_of(value)


def show_waiters(wanted, shown):
    threads, words = survey()
    trouble = []
    found = [queue for queue in grouped(queues(trouble)) if wanted is None or queue[0] == wanted]
    for address, waiters in found:
        described = [Waiter(waiter, threads) for waiter in waiters[:shown]]
        print(headline(address, waiters, described, words))
        for number, waiter in enumerate(described, 1):
            print(f"  {number}. {waiter}")
        if len(described) < len(waiters):
            print(f"  and {len(waiters) - len(described)} more: futon waiters -all")
    if not found:
        print("No waiter is queued" + ("." if wanted is None else f" at {wanted:#x}."))
    for sentence in trouble:
        print(f"Note: {sentence}.")


def headline(address, waiters, described, words):
    name = words.name(address)
    line = f"{address:#x}" + (f" <{name}>" if name else "")
    if any(waiter.operation == "futon::AsyncLock::lock" for waiter in described):
        line += f", a lock: {LockState(at(address, gdb.lookup_type('futon::AsyncLock'))).summary()}"
    return line + f"; {len(waiters)} waiter{'s' if len(waiters) != 1 else ''}"


def register():
    for command in (Futon, Waiters, Lock, Loops):
        command()
