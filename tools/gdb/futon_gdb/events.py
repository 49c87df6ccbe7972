# SPDX-License-Identifier: MIT
"""The state of what is waited for: Event, AutoResetEvent, Latch, Barrier, Condition, Once, Lazy."""

from futon_gdb.primitive import OneWord, Primitive, amount


class Event(OneWord):
    """Set or not, until it is reset."""

    def summary(self):
        return ", ".join(["set" if self.bit("signalled") else "not set", *self.waiters()])

    def sentences(self):
        line = "set: no wait for it blocks until it is reset" if self.bit("signalled") else "not set: a wait for it blocks"
        return [line, *self.waiters_sentence("a set wakes all that are queued")]


class AutoResetEvent(Event):
    """A signal, for one waiter."""

    def sentences(self):
        line = "set: the next wait takes the signal" if self.bit("signalled") else "not set: a wait for it blocks"
        return [line, *self.waiters_sentence("a set hands its signal to the first in the queue")]


class Latch(OneWord):
    """A count, down to zero."""

    def summary(self):
        left = self.word // int(self.value["one"])
        return ", ".join([f"{left} left" if self.word else "open", *self.waiters()])

    def sentences(self):
        left = self.word // int(self.value["one"])
        line = f"{left} left: so much is to be counted down until it opens" if self.word else "open: no wait for it blocks"
        return [line, *self.waiters_sentence("the last count down wakes all that are queued")]


class Barrier(OneWord):
    """Participants, and how many of them the phase lacks."""

    def __init__(self, value):
        super().__init__(value)
        counts = int(value["counts"])
        self.left = self.word >> int(value["left_shift"]) & counts
        self.expected = self.word >> int(value["expected_shift"]) & counts
        self.phase = self.word >> int(value["phase_shift"])

    def summary(self):
        return ", ".join([f"phase {self.phase} lacks {amount(self.left, 'arrival')} of {self.expected}", *self.waiters()])

    def sentences(self):
        lines = [f"phase {self.phase}: it lacks {amount(self.left, 'arrival')}; the next has {amount(self.expected, 'participant')}"]
        if self.left == 0:
            lines.append("the last arrival is ending the phase")
        return lines + self.waiters_sentence("the last arrival wakes all that are queued")


class Condition(OneWord):
    """Waiters for a notification."""

    def summary(self):
        return "has waiters" if self.bit("has_waiters") else "no waiters"

    def sentences(self):
        # One that has been notified is in the queue of the lock by then.
        return [*self.waiters_sentence("a notification moves them to the queue of their lock, or wakes them for it")
                ] or ["no waiters: a notification reaches none"]


class Once(OneWord):
    """An initialisation."""

    def summary(self):
        if self.bit("done"):
            return "done"
        return ", ".join(["begun" if self.bit("begun") else "not begun", *self.waiters()])

    def sentences(self):
        if self.bit("done"):
            return ["done: it is initialised"]
        line = "begun: one caller initialises it; which one is not recorded" if self.bit("begun") else \
            "not begun: the next caller initialises it"
        return [line, *self.waiters_sentence("the end of that wakes all that are queued")]


class Lazy(Primitive):
    """A value that is made once."""

    def __init__(self, value):
        super().__init__(value)
        self.once = Once(value["once_"])

    def summary(self):
        return self.once.summary()

    def sentences(self):
        return self.once.sentences()

    def keys(self):
        return self.once.keys()

    def children(self):
        if self.once.bit("done"):
            yield "value", self.value["value_"]
