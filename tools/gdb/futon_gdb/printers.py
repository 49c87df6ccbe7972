# SPDX-License-Identifier: MIT
"""How gdb prints futon's types."""

import gdb
import gdb.printing

from futon_gdb.kinds import GUARDS, PRIMITIVES, is_primitive, kind, owned_by, primitive_of, result_of
from futon_gdb.loops import LOOPS, Loop
from futon_gdb.primitive import amount
from futon_gdb.report import title
from futon_gdb.tasks import awaited_by, field
from futon_gdb.values import (Unreadable, address_of, at, class_of_table, first_pointer, is_reference, nanoseconds, plain,
                              referred, shown_name, until)


class Primitive:
    """A primitive: its state in a few words, and what it holds."""

    def __init__(self, value, primitive):
        self.value, self.primitive = value, primitive

    def to_string(self):
        return title(self.primitive)

    def children(self):
        return self.primitive.children()


class Items(Primitive):
    """A primitive with items."""

    def display_hint(self):
        return "array"


class Pointer:
    """A pointer to a primitive: where that is, and its state."""

    def __init__(self, value, primitive):
        self.value, self.primitive = value, primitive

    def to_string(self):
        return f"({shown_name(self.value.type)}) {self.value.format_string(raw=True)} ({self.primitive.summary()})"


class Guard:
    """A guard: what it owns, or why nothing."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        name = shown_name(self.value.type)
        owned = owned_by(self.value)
        if owned is None:
            reason = result_of(self.value)
            return f"{name} (owns nothing" + (f": {reason.format_string()})" if reason is not None else ")")
        amount_owned = field(self.value, "count_")
        of = f"{amount(int(amount_owned), 'permit')} of " if amount_owned is not None else ""
        return f"{name} (owns {of}{address_of(owned):#x})"


class Word:
    """A word: where it is, and what it holds."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        cell = self.value["cell_"]
        name = str(self.value.type.strip_typedefs().unqualified())
        try:
            holds = cell.dereference().format_string()
        except gdb.MemoryError:
            holds = "not readable"
        return f"{plain(name)} at {int(cell):#x} = {holds}"


class Deadline:
    """A deadline: never, due, or how long until it comes."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        time = nanoseconds(self.value["moment_"])
        if time == 2**63 - 1:
            return "futon::Deadline (never)"
        if time == -(2**63):
            return "futon::Deadline (due)"
        return f"futon::Deadline ({until(time)})"


class WaitResult:
    """A WaitResult, as to_string spells it."""

    NAMES = {"ok": "ok", "not_equal": "not-equal", "timed_out": "timed-out", "cancelled": "cancelled"}

    def __init__(self, value):
        self.value = value

    def to_string(self):
        number = int(self.value)
        for field in self.value.type.strip_typedefs().fields():
            if field.enumval == number:
                name = field.name.rpartition("::")[2]
                return f"futon::WaitResult ({self.NAMES.get(name, name)})"
        return f"futon::WaitResult (invalid: {number})"


class Promise:
    """A promise: whether it has settled, with what, and what awaits it."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        name = shown_name(self.value.type)
        state = self.value["state_"]
        if int(state) == 0:
            return f"{name} (moved from)"
        try:
            status = self.status()
            if status == "rejected" and (error := self.error()):
                status += f": {error}"
            return f"{name} ({', '.join(filter(None, [status, awaited_by(state.dereference())]))})"
        except gdb.MemoryError:  # one that is not made yet, or was destroyed
            return f"{name} (not readable)"
        except gdb.error:
            return f"{name} (the library has no debug information)"

    def status(self):
        return str(self.value["state_"]["status_"]).rpartition("::")[2]

    def outcome(self, alternative):
        """What the std::variant of the state holds: it is kept at its beginning."""
        outcome = self.value["state_"]["outcome_"]
        return at(address_of(outcome), outcome.type.strip_typedefs().template_argument(alternative))

    def error(self):
        """The class of the exception; empty if it has no virtual functions."""
        exception = first_pointer(self.outcome(2))
        return class_of_table(exception) or ""

    def children(self):
        try:
            is_fulfilled = int(self.value["state_"]) != 0 and self.status() == "fulfilled"
        except gdb.error:
            return
        if is_fulfilled and self.value.type.strip_typedefs().template_argument(0).code != gdb.TYPE_CODE_VOID:
            yield "value", self.outcome(1)


class EventLoop:
    """An event loop: what it is at."""

    def __init__(self, value):
        self.value = value

    def loop(self):
        """What it is at; or, in words, why that is not known."""
        try:
            return Loop(self.value) if int(first_pointer(self.value["loop_"])) != 0 else "ended"
        except gdb.error:
            return "the library has no debug information"

    def to_string(self):
        name = plain(str(self.value.type.strip_typedefs().unqualified()))
        loop = self.loop()
        return f"{name} ({loop if isinstance(loop, str) else loop.state()})"

    def children(self):
        loop = self.loop()
        if isinstance(loop, str):
            return
        yield "jobs", loop.jobs
        yield "timers", len(loop.ticks)
        if loop.ticks:
            yield "next timer", loop.next_timer()
        yield "waits", loop.waits
        yield "closed", "yes" if loop.is_closed else "no"


class Printers(gdb.printing.PrettyPrinter):
    """By the type's name."""

    BY_NAME = {
        "futon::Deadline": Deadline,
        "futon::WaitResult": WaitResult,
        "futon::Word": Word,
        "futon::Promise": Promise,
        **dict.fromkeys(LOOPS, EventLoop),
        **dict.fromkeys(GUARDS, Guard),
    }
    POINTERS = "pointers to primitives"

    def __init__(self):
        names = [*PRIMITIVES, *self.BY_NAME, self.POINTERS]
        super().__init__("futon", [gdb.printing.SubPrettyPrinter(name) for name in names])

    def __call__(self, value):
        if value.is_optimized_out:
            return None
        value_type = value.type.strip_typedefs()
        if value_type.code == gdb.TYPE_CODE_PTR:
            return self.of_pointer(value) if is_primitive(value_type.target()) and self.is_on(self.POINTERS) else None
        name = kind(value_type.target() if is_reference(value_type) else value_type)
        if name not in PRIMITIVES and name not in self.BY_NAME or not self.is_on(name):
            return None
        value = referred(value)
        if name in self.BY_NAME:
            return self.BY_NAME[name](value)
        try:
            primitive = primitive_of(value)
        except (Unreadable, gdb.MemoryError):
            return None
        return (Items if primitive.is_list() else Primitive)(value, primitive)

    @staticmethod
    def of_pointer(value):
        try:
            return Pointer(value, primitive_of(value.dereference())) if int(value) != 0 else None
        except (Unreadable, gdb.MemoryError):
            return None

    def is_on(self, name):
        return all(sub.enabled for sub in self.subprinters if sub.name == name)


def register():
    gdb.printing.register_pretty_printer(None, Printers(), replace=True)
