# SPDX-License-Identifier: MIT
"""Reads what the standard library and the compiler have laid out, whichever they are."""

import re
import time

import gdb


class Unreadable(Exception):
    """Something that should be there is not: the message says what."""


def address_of(value):
    """The address of what a pointer points to, or of an object; without a C++ type."""
    value_type = value.type.strip_typedefs()
    if value_type.code in (gdb.TYPE_CODE_PTR, gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
        if value_type.code != gdb.TYPE_CODE_PTR:
            value = value.referenced_value().address
        return int(value) & address_mask()
    if value.address is None:
        raise Unreadable("this value is in no memory")
    return int(value.address) & address_mask()


def address_mask():
    return (1 << 8 * gdb.lookup_type("char").pointer().sizeof) - 1


def at(address, value_type):
    """The object of this type at an address."""
    return gdb.Value(address).cast(value_type.pointer()).dereference()


def first_pointer(value, target="void"):
    """A class that begins with its pointer (std::unique_ptr, std::coroutine_handle), read as that."""
    value_type = gdb.lookup_type(target) if isinstance(target, str) else target
    return at(address_of(value), value_type.pointer())


def member(pointer, name):
    """A member of the class of a pointer, which is a base of what is there: gdb does not look for what that is."""
    kind = pointer.type.strip_typedefs().target().strip_typedefs()
    found = next(field for field in kind.fields() if field.name == name)
    return at((int(pointer) & address_mask()) + found.bitpos // 8, found.type)


def scalar(value):
    """The number or pointer that a class consists of."""
    while value.type.strip_typedefs().code == gdb.TYPE_CODE_STRUCT:
        value = value[value.type.strip_typedefs().fields()[0]]
    return value


def atomic(value):
    """What a std::atomic holds; also where it is in a register."""
    if value.address is None:
        return scalar(value)
    return at(address_of(value), value.type.strip_typedefs().template_argument(0))


def elements(array):
    """The elements of a std::array."""
    array_type = array.type.strip_typedefs()
    element = array_type.template_argument(0)
    count = array_type.sizeof // element.strip_typedefs().sizeof
    return at(address_of(array), element.array(count - 1)), count


def constant(class_name, name):
    """A constant of a class; None where the debug information lacks the class."""
    try:
        return int(at(0, gdb.lookup_type(class_name))[name])
    except gdb.error:
        return None


def nanoseconds(time_point):
    """What a time point of the steady clock counts."""
    return int(scalar(time_point))


def whole(pointer):
    """The object that a pointer to one of its bases points to, as what it really is, and the name of its class.

    Where the debug information lacks the class, the object as the base.
    """
    static = pointer.type.strip_typedefs().target()
    name = class_of_table(pointer)
    # Of what belongs to a lambda, gdb would only say that it does not find it.
    dynamic = pointer.type if "{lambda" in (name or "") else pointer.dynamic_type
    if dynamic.strip_typedefs().target().name != static.name:
        whole_object = pointer.cast(dynamic).dereference()
        return whole_object, plain(dynamic.strip_typedefs().target().name)
    return pointer.dereference(), name or plain(static.name)


def class_of_table(pointer):
    """The class whose table of virtual functions an object has, by the symbol of that table."""
    table = int(at(int(pointer) & address_mask(), gdb.lookup_type("void").pointer())) & address_mask()
    found = re.match(r"(?:construction )?vtable for (.*?)(?: \+ \d+)? in section", symbol_at(table))
    return plain(found[1]) if found else None


def symbol_at(address):
    """What `info symbol` says; nothing where there is none."""
    text = gdb.execute(f"info symbol {address:#x}", to_string=True).strip().splitlines()
    return "" if not text or text[0].startswith("No symbol") else text[0]


def plain(name):
    """A qualified name without anonymous namespaces, which only lengthen it."""
    return re.sub(r"(?:\(anonymous namespace\)|\{anonymous\})::", "", name or "")


def without_parameters(name):
    """`f` of `f(int)`."""
    name = re.sub(r"( \[clone [^]]*\]|\.(resume|destroy|cleanup|actor))+$", "", name)
    if name.endswith(" const"):
        name = name[: -len(" const")]
    if not name.endswith(")"):
        return name
    depth = 0
    for i in range(len(name) - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(name[i], 0)
        if depth == 0:
            return name[:i] if i > 0 else name
    return name


def without_arguments(name):
    """`a::B::C` of `a::B<int>::C<x>`."""
    short, depth = "", 0
    for character in name:
        depth += character == "<"
        if depth == 0:
            short += character
        depth -= character == ">"
    return short


def enclosing(name):
    """`a::B<c::D>` of `a::B<c::D>::C`; empty if there is none."""
    depth = 0
    for i in range(len(name) - 1, 0, -1):
        depth += {">": 1, "<": -1}.get(name[i], 0)
        if depth == 0 and name[i - 1:i + 1] == "::":
            return name[:i - 1]
    return ""


def is_reference(value_type):
    return value_type.strip_typedefs().code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF)


def referred(value):
    """What a reference refers to; any other value as it is."""
    return value.referenced_value() if is_reference(value.type) else value


def class_name(value_type):
    """The qualified name of a class, without typedefs and anonymous namespaces; empty if it has none."""
    return plain(value_type.strip_typedefs().unqualified().name or "")


def shown_name(value_type):
    """What a reader would call a type."""
    if value_type.strip_typedefs().code == gdb.TYPE_CODE_PTR:
        return shown_name(value_type.strip_typedefs().target()) + " *"
    name = class_name(value_type) or plain(str(value_type))
    name = re.sub(r"std::(?:__cxx11|__1)::basic_string<char, std::(?:__1::)?char_traits<char>, std::(?:__1::)?allocator<char> ?>",
                  "std::string", name)
    return name.replace("futon::detail::NoCompletion", "").replace("futon::BarrierBase", "futon::Barrier").replace(" >", ">")


def is_live():
    """Whether there is a process of this machine: then the steady clock is the one that gdb sees."""
    connection = getattr(gdb.selected_inferior(), "connection", None)
    return connection is not None and connection.type == "native"


def now():
    """The steady clock, in nanoseconds; None for a core file, which does not say when it was written."""
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC) if is_live() else None


def span(ns):
    """A time span, for reading."""
    for unit, size in (("h", 3600 * 10**9), ("min", 60 * 10**9), ("s", 10**9), ("ms", 10**6), ("us", 10**3)):
        if abs(ns) >= size:
            return f"{ns / size:.3g} {unit}" if abs(ns) < 1000 * size else f"{ns / size:.0f} {unit}"
    return f"{ns} ns"


def since(ns):
    """How long it is since a time point, or which one it is."""
    current = now()
    return f"for {span(current - ns)}" if current is not None else f"since {ns / 10**9:.6f} s of the steady clock"


def until(ns):
    """How long it is until a time point, or which one it is."""
    current = now()
    if current is None:
        return f"{ns / 10**9:.6f} s of the steady clock"
    return f"in {span(ns - current)}" if ns >= current else f"{span(current - ns)} ago"
