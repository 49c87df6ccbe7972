# SPDX-License-Identifier: MIT
"""The state of an AsyncLock in words."""

import gdb

from futon_gdb.values import address_of, at, atomic, now, plain, span

BITS = ("held", "has_waiters", "strict", "woken", "offered", "closed", "has_threads", "abandoned")
MEANING = {
    "held": "held: an owner has it; which one is not recorded",
    "offered": "offered: a task was woken to take it; once the offer has expired any waiter may",
    "has_waiters": "has waiters: the next unlock looks into its queue",
    "strict": "strict: each unlock hands it off to the first in the queue",
    "woken": "woken: a thread was woken for it, and is on its way",
    "closed": "closed: it is kept for the first in the queue",
    "has_threads": "has threads: a blocked thread is queued, or was",
    "abandoned": "abandoned: an owner was gone before it unlocked, and no owner since has been told",
}


class LockState:
    """The bits of a lock's word, as the lock's own constants name them."""

    def __init__(self, lock):
        self.address = None if lock.address is None else address_of(lock)
        self.word = int(atomic(lock["word_"]))
        self.bits = {name for name in BITS if self.word & int(lock[name])}
        shift, self.unit = int(lock["time_shift"]), int(lock["time_unit"])
        self.time = self.word >> shift
        self.times = 1 << 8 * lock.type.sizeof - shift  # it wraps

    def age(self):
        """How long ago the time in the word was, but for what the word has forgotten, in nanoseconds; less than nothing if it is
        to come, as the end of an offer; None if that is not known."""
        current = now()
        if current is None:
            return None
        age = ((current >> self.unit) - self.time) % self.times
        return (age if age < self.times // 2 else age - self.times) << self.unit

    def summary(self):
        """In a few words."""
        words = ["held" if "held" in self.bits else "offered" if "offered" in self.bits else "free"]
        words += [name.replace("_", " ") for name in ("strict", "has_waiters", "woken", "closed", "abandoned") if name in self.bits]
        return ", ".join(words)

    def modulo(self):
        return f", or a multiple of {span(self.times << self.unit)} more"

    def sentences(self):
        """A sentence for each bit that is set."""
        lines = [MEANING[name] for name in MEANING if name in self.bits]
        if not self.bits & {"held", "offered"}:
            is_kept = self.bits & {"strict", "closed"} and "has_waiters" in self.bits
            lines.insert(0, "free: it goes to the first in the queue" if is_kept else "free: the first that tries takes it")
        age = self.age()
        if age is not None and "offered" in self.bits:
            when = f"expired {span(age)} ago" if age >= 0 else f"expires in {span(-age)}"
            lines.append(f"the offer {when}{self.modulo()}")
        elif age is not None and "has_waiters" in self.bits:
            lines.append(f"the last handoff, or the first waiter, was {span(abs(age))} ago{self.modulo()}")
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
