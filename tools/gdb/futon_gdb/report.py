# SPDX-License-Identifier: MIT
"""What the commands say of queues and their waiters."""

from futon_gdb.loops import agents_of, waits_of
from futon_gdb.names import Names
from futon_gdb.primitive import amount
from futon_gdb.table import queues
from futon_gdb.values import Unreadable, shown_name
from futon_gdb.waiters import Waiter, grouped, survey

SHOWN = 32  # waiters of one word, unless more are asked for


class Report:
    """The threads, and all queues, read once."""

    def __init__(self):
        self.threads, self.words = survey()
        self.names = Names()
        self.trouble = []
        self.queues, self.unknown = [], None
        try:
            self.queues = grouped(queues(self.trouble))
        except Unreadable as error:
            self.unknown = str(error)

    def name(self, address):
        """` "name" <variable>` of what lies at an address, as far as it has them."""
        given, name = self.names.name(address), self.words.name(address)
        return (f' "{given}"' if given else "") + (f" <{name}>" if name else "")

    def described(self, pointer):
        return Waiter(pointer, self.threads, self.words)

    def at(self, keys):
        """The queues at these addresses, or all."""
        return [queue for queue in self.queues if keys is None or queue[0] in keys]

    def count(self, keys):
        return sum(len(waiters) for _, waiters in self.at(keys))

    def show_woken(self, keys):
        """Those of tasks that were taken from these queues, and have not run since: an offer, or what was handed off, is theirs."""
        for agent in (agent for thread in self.threads.threads for agent in agents_of(thread)):
            for pointer in waits_of(agent):
                waiter = self.described(pointer)
                if waiter.was_woken_at() in keys:
                    print(f"  woken, and has not run since: {waiter}")

    def show_waiters(self, keys=None, shown=SHOWN, says_which=True):
        """The waiters at these addresses, or all."""
        if self.unknown is not None:
            raise Unreadable(self.unknown)
        found = self.at(keys)
        for address, waiters in found:
            described = [self.described(waiter) for waiter in waiters[:shown]]
            print(self.headline(address, waiters, described, says_which))
            for number, waiter in enumerate(described, 1):
                print(f"  {number}. {waiter}")
            if len(described) < len(waiters):
                print(f"  and {len(waiters) - len(described)} more: futon waiters -all")
        if not found:
            print("No waiter is queued" + ("." if keys is None else f" at {keys[0]:#x}."))
        for sentence in self.trouble:
            print(f"Note: {sentence}.")

    def headline(self, address, waiters, described, says_which):
        line = f"{address:#x}{self.name(address)}"
        primitive = next(filter(None, (waiter.primitive(address) for waiter in described)), None) if says_which else None
        if primitive is not None:
            line += f", {title(primitive)}"
        return line + f"; {amount(len(waiters), 'waiter')}"


def title(primitive):
    """As `print` shows a primitive, without its values."""
    return f"{shown_name(primitive.value.type)} ({primitive.summary()})"
