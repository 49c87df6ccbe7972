# SPDX-License-Identifier: MIT
"""The state of an AsyncLock in words."""

import gdb

from futon_gdb.values import address_of, at, atomic, constant, now, plain, span

BITS = ("held", "has_waiters", "strict", "woken", "offered", "watched", "has_threads", "abandoned")
MEANING = {
    "held": "held: an owner has it; which one is not recorded",
    "offered": "offered: a task was woken to take it; after the handoff threshold any waiter may",
    "has_waiters": "has waiters: the next unlock looks into its queue",
    "strict": "strict: each unlock hands it off to the first in the queue",
    "woken": "woken: a thread was woken for it, and is on its way",
    "watched": "watched: a blocked thread wakes up when the offer expires",
    "has_threads": "has threads: a blocked thread is queued, or was",
    "abandoned": "abandoned: an owner was gone before it unlocked, and no owner since has been told",
}


class LockState:
    """The bits of a lock's word, as the lock's own constants name them."""

    def __init__(self, lock):
        self.address = None if lock.address is None else address_of(lock)
        self.word = int(atomic(lock["word_"]))
        self.bits = {name for name in BITS if self.word & int(lock[name])}
        shift = int(lock["time_shift"])
        self.time = self.word >> shift
        self.time_bits = 8 * lock.type.sizeof - shift  # it wraps

    def age(self):
        """How old the time in the word is, but for what the word has forgotten; None if that is not known."""
        current, unit = now(), self.unit()
        if current is None or unit is None:
            return None
        return ((current >> unit) - self.time) % (1 << self.time_bits) << unit

    def summary(self):
        """In a few words."""
        words = ["held" if "held" in self.bits else "offered" + self.offered_for() if "offered" in self.bits else "free"]
        words += [name.replace("_", " ") for name in ("strict", "has_waiters", "woken", "watched", "abandoned") if name in self.bits]
        return ", ".join(words)

    def offered_for(self):
        age = self.age()
        return "" if age is None else f" for {span(age)}"

    @staticmethod
    def unit():
        """Of the time in the word, as a power of two nanoseconds."""
        return constant("futon::AsyncLock::State", "unit")

    def modulo(self):
        return f", or a multiple of {span(1 << self.time_bits + self.unit())} more"

    def sentences(self):
        """A sentence for each bit that is set."""
        lines = [MEANING[name] for name in MEANING if name in self.bits]
        if not self.bits & {"held", "offered"}:
            lines.insert(0, "free: the first that tries takes it" if "strict" not in self.bits or "woken" not in self.bits
                         else "free: the thread that was woken takes it")
        age = self.age()
        if age is not None and "offered" in self.bits:
            lines.append(f"offered {span(age)} ago{self.modulo()}")
        elif age is not None and "has_waiters" in self.bits:
            lines.append(f"the last handoff, or the first waiter, was {span(age)} ago{self.modulo()}")
        return lines


def is_number(value):
    """Whether an expression is an address that was written down, and no variable."""
    return value.type.strip_typedefs().code == gdb.TYPE_CODE_INT and value.address is None


def as_lock(value):
    """The AsyncLock that an expression means: a lock, a pointer or reference to one, its address, a guard."""
    if is_number(value):
        return at(int(value), gdb.lookup_type("futon::AsyncLock"))
    kind = value.type.strip_typedefs()
    if kind.code in (gdb.TYPE_CODE_PTR, gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
        return as_lock(value.referenced_value())
    name = plain(kind.unqualified().name or "")
    if name == "futon::AsyncLock":
        return value
    if name == "futon::AsyncLock::Guard":
        if int(value["lock_"]) == 0:
            raise gdb.GdbError("This guard owns no lock.")
        return value["lock_"].dereference()
    raise gdb.GdbError(f"This is no futon::AsyncLock, but a {name or kind}. For one that lies there: "
                       "futon lock (futon::AsyncLock*) ADDRESS")
