# SPDX-License-Identifier: MIT
"""The threads of the program: whose stack an address is on, and whose agent an agent is."""

import re

import gdb

from futon_gdb.kinds import is_primitive
from futon_gdb.values import address_mask, plain

SLOT = "futon::detail::this_thread_agent"
FAR = 1 << 16  # the agent's slot is nearer to the thread pointer than this, in static storage of threads


class Frame:
    def __init__(self, frame):
        self.begin = int(frame.read_register("sp")) & address_mask()
        self.name = plain(frame.name() or "")
        place = frame.find_sal()
        # With -Og the code of inlined functions may belong to no frame of its own: then the line is one of another file, and
        # that of the function itself says more.
        function = frame.function()
        if function is not None and function.symtab and (place.symtab != function.symtab or place.line == 0):
            place = function
        self.file = place.symtab.filename if place.symtab else ""
        self.place = self.file.split("/")[-1] + (f":{place.line}" if place.line else "") if place.symtab else ""

    def caller(self):
        """The function, in words, if it is one of the program's own; empty for those of libraries."""
        if not self.name or self.name.startswith(("futon::", "std::", "__", "operator new", "start_thread", "clone")):
            return ""
        if any(folder in self.file for folder in ("/include/c++/", "/include/futon/")):
            return ""
        name = "a lambda" if self.name.endswith("operator()") else self.name
        return name + (f" at {self.place}" if self.place else "")


class Thread:
    def __init__(self, thread):
        self.thread = thread
        self.frames = []
        frame = gdb.newest_frame()
        try:
            while frame is not None:
                self.frames.append(Frame(frame))
                frame = frame.older()
        except gdb.error:
            pass  # the rest of the stack is not readable
        self.end = end_of_stack() if self.frames else 0
        self.slots = slots_of_selected()
        self.pointer = thread_pointer()

    def __str__(self):
        system = next((f"LWP {part}" for part in self.thread.ptid[1:] if part), "")
        return f"thread {self.thread.num}" + (f" ({system})" if system else "")

    def owns(self, address):
        return bool(self.frames) and self.frames[0].begin <= address < self.end

    def caller(self, address):
        """The function of the program that called the library, whose waiter is at an address of this stack."""
        older = (frame.caller() for frame in self.frames if frame.begin > address)
        return next(filter(None, older), "")

    def local_at(self, address):
        """The local variable that holds this address, in words; empty if none does."""
        before = gdb.selected_thread()
        self.thread.switch()
        try:
            return find_local(address)
        finally:
            if before is not None:
                before.switch()


def end_of_stack():
    """Where the oldest frame of the selected thread ends: which is main's, for gdb shows no older one."""
    frame = gdb.newest_frame()
    while frame.older() is not None:
        frame = frame.older()
    frame.select()
    found = re.search(r"frame at (0x[0-9a-f]+)", gdb.execute("info frame", to_string=True))
    begin = int(frame.read_register("sp")) & address_mask()
    return max(begin, int(found[1], 16) if found else 0)  # gdb gives the frame that starts a thread no end


def slots_of_selected():
    """Where the agent of the selected thread may be kept: each copy of the library has a place, and all use one of them. None
    where gdb cannot tell.
    """
    slots = set()
    for objfile in gdb.objfiles():
        try:
            symbol = objfile.lookup_global_symbol(SLOT)
            if symbol is not None:
                slots.add(int(symbol.value().address) & address_mask())
        except gdb.error:
            pass  # of a copy that this thread has not used
    return slots


def thread_pointer():
    for register in ("fs_base", "tpidr", "tp"):
        try:
            return int(gdb.newest_frame().read_register(register)) & address_mask()
        except (gdb.error, ValueError):
            pass
    return None


def find_local(address):
    frame = gdb.newest_frame()
    while frame is not None:
        try:
            block = frame.block()
        except (RuntimeError, gdb.error):
            block = None
        while block is not None:
            for symbol in block:
                if not (symbol.is_variable or symbol.is_argument) or not symbol.needs_frame:
                    continue
                try:
                    value = symbol.value(frame)
                    begin = int(value.address) & address_mask() if value.address is not None else None
                except (gdb.error, TypeError):
                    continue
                if begin is not None and begin <= address < begin + value.type.sizeof:
                    return f"{symbol.print_name}{member_at(value.type, address - begin)} of {plain(frame.name() or '')}"
            if block.function is not None:
                break
            block = block.superblock
        frame = frame.older()
    return ""


def member_at(value_type, offset):
    """`.member` for what lies at an offset of a class; empty for the object itself."""
    value_type = value_type.strip_typedefs()
    if is_primitive(value_type) or plain(value_type.name or "").startswith("futon::Word<"):
        return f" + {offset}" if offset else ""  # its members are its own
    if value_type.code == gdb.TYPE_CODE_ARRAY:
        size = value_type.target().strip_typedefs().sizeof
        return f"[{offset // size}]" + member_at(value_type.target(), offset % size) if size else ""
    if value_type.code in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION) and not (value_type.name or "").startswith("std::atomic"):
        for field in value_type.fields():
            if not hasattr(field, "bitpos") or field.name is None:
                continue
            begin = field.bitpos // 8
            if field.is_base_class:
                if field.type.fields() and begin <= offset < begin + field.type.sizeof:
                    return member_at(field.type, offset - begin)
                continue
            if (offset > 0 or len(value_type.fields()) > 1) and begin <= offset < begin + field.type.strip_typedefs().sizeof:
                return f".{field.name}" + member_at(field.type, offset - begin)
    return f" + {offset}" if offset else ""


class Threads:
    """All threads, read once."""

    def __init__(self):
        self.threads = []
        before, frame = gdb.selected_thread(), None
        if before is None:
            return
        try:
            frame = gdb.selected_frame()
        except gdb.error:
            pass
        try:
            for thread in sorted(gdb.selected_inferior().threads(), key=lambda thread: thread.num):
                thread.switch()
                self.threads.append(Thread(thread))
        finally:
            before.switch()
            if frame is not None and frame.is_valid():
                frame.select()

    def on_whose_stack(self, address):
        return next((thread for thread in self.threads if thread.owns(address)), None)

    def with_slot(self, slot):
        """The thread whose agent is kept at this address."""
        for thread in self.threads:
            if slot in thread.slots:
                return thread
        near = [(abs(thread.pointer - slot), thread.thread.num, thread) for thread in self.threads
                if not thread.slots and thread.pointer is not None and abs(thread.pointer - slot) < FAR]
        return min(near)[2] if near else None
