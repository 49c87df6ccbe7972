# SPDX-License-Identifier: MIT
"""The state of what is held: AsyncLock, Guarded, SharedLock, Semaphore."""

from futon_gdb.arbiter import ArbiterWord
from futon_gdb.primitive import Primitive, amount


class AsyncLock(Primitive):
    """A lock that one owner has, or none."""

    RELEASE = "unlock"
    ABANDONED = "abandoned: an owner was gone before it unlocked, and no owner since has been told"

    def __init__(self, value):
        super().__init__(value)
        self.arbiter = ArbiterWord(value)
        self.is_held = self.has(self.arbiter.state, "held")
        self.is_abandoned = self.has(self.arbiter.state, "abandoned")

    def summary(self):
        state = "held" if self.is_held else "offered" if "offered" in self.arbiter.bits else "free"
        return ", ".join([state, *self.arbiter.words(["abandoned"] if self.is_abandoned else [])])

    def sentences(self):
        lines = []
        if self.is_held:
            lines.append("held: an owner has it; which one is not recorded")
        elif "offered" not in self.arbiter.bits:
            lines.append("free: it goes to the first in the queue" if self.arbiter.is_kept() else
                         "free: the first that tries takes it")
        if self.is_abandoned:
            lines.append(self.ABANDONED)
        return lines + self.arbiter.sentences(self.RELEASE)


class Guarded(Primitive):
    """A lock and its value."""

    def __init__(self, value):
        super().__init__(value)
        self.lock = AsyncLock(value["lock_"])

    def summary(self):
        return self.lock.summary()

    def sentences(self):
        return self.lock.sentences()

    def keys(self):
        return self.lock.keys()

    def children(self):
        yield "value", self.value["value_"]


class SharedLock(Primitive):
    """A readers-writer lock, whose upgrade has a queue of its own."""

    def __init__(self, value):
        super().__init__(value)
        word = value["word_"]
        self.arbiter = ArbiterWord(word)
        state = self.arbiter.state
        self.readers = state & int(word["readers"])
        self.modes = {name for name in ("exclusive", "upgradeable", "upgrading", "in_slots") if state & int(word[name])}

    def keys(self):
        begin, word = super().keys()[0], self.value["word_"]["word_"]
        return [begin, begin + word.type.sizeof // 2]  # that of an upgrade is the upper half

    def summary(self):
        held = []
        if "exclusive" in self.modes:
            held.append("held exclusively")
        if self.readers:
            held.append(f"held shared by {self.readers}")
        if "in_slots" in self.modes:
            held.append("perhaps held shared by threads in slots")
        if "upgradeable" in self.modes:
            held.append("upgradeable by one" if held else "held upgradeable")
        if "upgrading" in self.modes:
            held.append("upgrading")
        if not held:
            held.append("offered" if "offered" in self.arbiter.bits else "free")
        return ", ".join(held + self.arbiter.words())

    def sentences(self):
        lines = []
        if "exclusive" in self.modes:
            lines.append("held exclusively: one owner has it; which one is not recorded")
        if self.readers:
            lines.append(f"held shared: by {amount(self.readers, 'reader')}; who they are is not recorded")
        if "in_slots" in self.modes:
            lines.append("readers use slots: threads may hold it shared that are not counted in it")
        if "upgradeable" in self.modes:
            lines.append("held upgradeable: one owner reads it, and alone may become the writer")
        if "upgrading" in self.modes:
            lines.append("upgrading: that owner waits until no reader is left; new readers are kept out")
        if not lines and "offered" not in self.arbiter.bits:
            lines.append("free: it goes to the first in the queue" if self.arbiter.is_kept() else
                         "free: the first that tries takes it")
        return lines + self.arbiter.sentences("unlock")


class Semaphore(Primitive):
    """Permits."""

    def __init__(self, value):
        super().__init__(value)
        self.arbiter = ArbiterWord(value["permits_"])

    def summary(self):
        offered = ["offered"] if "offered" in self.arbiter.bits else []
        return ", ".join([f"{amount(self.arbiter.state, 'permit')} free", *offered, *self.arbiter.words()])

    def sentences(self):
        free = self.arbiter.state
        kept = ", kept for the first in the queue" if free and self.arbiter.is_kept() else ""
        return [f"{amount(free, 'permit')} free{kept}; how many are acquired is not recorded",
                *self.arbiter.sentences("release")]


class Arbiter(Primitive):
    """A primitive of the program's own: its rules alone know what the state means."""

    def __init__(self, value):
        super().__init__(value)
        self.arbiter = ArbiterWord(value)

    def summary(self):
        offered = ["offered"] if "offered" in self.arbiter.bits else []
        return ", ".join([f"state {self.arbiter.state:#x}", *offered, *self.arbiter.words()])

    def sentences(self):
        return [f"state {self.arbiter.state:#x}: what that means its rules define", *self.arbiter.sentences("release")]
