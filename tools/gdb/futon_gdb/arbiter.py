# SPDX-License-Identifier: MIT
"""The word of an arbiter: of an AsyncLock, a SharedLock, a Semaphore, and of a primitive of the program's own."""

from futon_gdb.values import atomic, now, span

BITS = ("has_waiters", "strict", "woken", "offered", "closed", "has_threads")
IN_SHORT = ("strict", "has_waiters", "woken", "closed")
MEANING = {
    "offered": "offered: a task was woken to take it; once the offer has expired any waiter may",
    "strict": "strict: each {release} hands it off to the first in the queue",
    "has_waiters": "has waiters: the next {release} looks into its queue",
    "woken": "woken: a thread was woken for it, and is on its way",
    "closed": "closed: it is kept for the first in the queue",
    "has_threads": "has threads: a blocked thread is queued, or was",
}


class ArbiterWord:
    """The state of the resource, and the bits of the arbiter, as the layout's own constants name them."""

    def __init__(self, arbiter):
        self.word = int(atomic(arbiter["word_"]))
        size = 8 * arbiter["word_"].type.sizeof
        state_bits = int(arbiter[f"state_bits_of_{size}"])
        self.state = self.word & (1 << state_bits) - 1
        self.bits = {name for name in BITS if self.word >> state_bits + int(arbiter[name + "_bit"]) & 1}
        self.unit, time_bits = int(arbiter["time_unit"]), int(arbiter["time_bits"])
        self.time = self.word >> size - time_bits
        self.times = 1 << time_bits  # it wraps

    def age(self):
        """How long ago the time in the word was, but for what the word has forgotten, in nanoseconds; less than nothing if it is
        to come, as the end of an offer; None if that is not known."""
        current = now()
        if current is None:
            return None
        age = ((current >> self.unit) - self.time) % self.times
        return (age if age < self.times // 2 else age - self.times) << self.unit

    def words(self, others=frozenset()):
        """Its bits in a few words, and those of the resource's own that are set."""
        return [name.replace("_", " ") for name in (*IN_SHORT, *others) if name in self.bits or name in others]

    def is_kept(self):
        """Whether what is free goes to the first in the queue, and to no passer-by."""
        return bool(self.bits & {"strict", "closed"}) and "has_waiters" in self.bits

    def sentences(self, release):
        """A sentence for each bit that is set; `release` is the word for it."""
        lines = [MEANING[name].format(release=release) for name in MEANING if name in self.bits]
        age = self.age()
        if age is not None and "offered" in self.bits:
            when = f"expired {span(age)} ago" if age >= 0 else f"expires in {span(-age)}"
            lines.append(f"the offer {when}{self.modulo()}")
        elif age is not None and "has_waiters" in self.bits:
            lines.append(f"the last handoff, or the first waiter, was {span(abs(age))} ago{self.modulo()}")
        return lines

    def modulo(self):
        return f", or a multiple of {span(self.times << self.unit)} more"
