# SPDX-License-Identifier: MIT
"""What `futon show` says of an object."""

import gdb

from futon_gdb import library
from futon_gdb.kinds import GUARDS, is_incomplete, is_primitive, kind, owned_by, pointee, primitive_of, result_of
from futon_gdb.loops import LOOPS, Loop, waits_of
from futon_gdb.primitive import amount
from futon_gdb.report import Report, title
from futon_gdb.values import Unreadable, address_of, at, class_name, referred, shown_name

DEEPEST = 8
MOST_ELEMENTS = 64
INTEGERS = (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_ENUM, gdb.TYPE_CODE_BOOL, gdb.TYPE_CODE_CHAR, gdb.TYPE_CODE_PTR)


def is_number(value):
    """Whether an expression is an address that was written down, and no variable."""
    return value.type.strip_typedefs().code == gdb.TYPE_CODE_INT and value.address is None


def show(value):
    """Prints the state of what an expression means, and the waiters there."""
    value = referred(value)
    if is_number(value):
        return show_address(int(value))
    value = followed(value)
    if is_primitive(value.type):
        return show_primitive(primitive_of(value))
    if kind(value.type) in GUARDS:
        return show_guard(value)
    if kind(value.type) == "futon::Word":
        return show_word(value, value["cell_"].dereference())
    if kind(value.type) in LOOPS:
        return show_loop(value)
    if kind(value.type) == "futon::Promise":
        return show_promise(value)
    found = list(primitives_in(value))
    if len(found) == 1:
        return show_primitive(primitive_of(found[0][1]))
    if found:
        return show_all(value, found)
    return show_unknown(value)


def followed(value):
    """What pointers and references lead to."""
    for _ in range(DEEPEST):
        value = referred(value)
        target = pointee(value)
        if target is None:
            break
        value = target
    if value.type.strip_typedefs().code == gdb.TYPE_CODE_STRUCT and is_incomplete(value.type):
        raise Unreadable(f"What a {class_name(value.type)} consists of is not known. {library.missing()}")
    return value


def show_primitive(primitive):
    keys = primitive.keys()
    if not keys:
        print(title(primitive))
        return show_lines(primitive.sentences())
    report = Report()
    print(f"{shown_name(primitive.value.type)} at {keys[0]:#x}{report.name(keys[0])}: {primitive.summary()}")
    show_lines(primitive.sentences())
    if report.unknown is None:
        report.show_woken(keys)
    show_queues(report, keys)


def show_lines(lines):
    for line in lines:
        print(f"  {line}")


def show_queues(report, keys):
    """The waiters; or, where that is all that is not known, why not."""
    if report.unknown is not None:
        print(report.unknown)
    else:
        report.show_waiters(keys, says_which=False)


def show_guard(guard):
    owned = owned_by(guard)
    if owned is None:
        reason = result_of(guard)
        print(f"This {shown_name(guard.type)} owns nothing" + (f": {reason.format_string()}." if reason is not None else "."))
        return None
    print(f"This {shown_name(guard.type)} owns:")
    return show(owned)


def show_word(value, cell):
    report = Report()
    address = address_of(cell)
    print(f"{shown_name(value.type)} at {address:#x}{report.name(address)}: {cell.format_string()}")
    show_queues(report, [address])


def show_address(address):
    """What lies at a number is told by those that wait there."""
    report = Report()
    if report.unknown is not None:
        raise Unreadable(report.unknown)
    if not report.at([address]):
        raise Unreadable(f"No waiter is queued at {address:#x}, and a number does not say what lies there: cast it, as in "
                         f"futon show (futon::AsyncLock*) {address:#x}")
    report.show_waiters([address])


def show_loop(value):
    loop = Loop(value)
    report = Report()
    print(f"{shown_name(value.type)} at {address_of(value):#x}{report.name(address_of(value))}: {loop.summary()}")
    for number, pointer in enumerate(waits_of(loop.agent), 1):
        waiter = report.described(pointer)
        key = waiter.key()
        place = f"; {'at' if waiter.is_queued() else 'woken at'} {key:#x}{report.name(key)}" if key else ""
        print(f"  {number}. {waiter}{place}")


def show_promise(value):
    if int(value["state_"]) == 0:
        raise Unreadable("This promise was moved from")
    print(value.format_string())
    if not str(value["state_"]["status_"]).endswith("pending"):
        return
    report = Report()
    if report.unknown is not None:
        print(report.unknown)
    address = address_of(value["state_"])
    for key, waiters in report.queues:
        for waiter in map(report.described, waiters):
            if address in waiter.promises:
                print(f"  it waits at {key:#x}{report.name(key)}: {waiter}")


def show_all(value, found):
    report = Report()
    place = f" at {address_of(value):#x}" if value.address is not None else ""
    print(f"{shown_name(value.type)}{place}, with {len(found)} primitives:")
    for path, member in found:
        try:
            primitive = primitive_of(member)
        except Unreadable:
            print(f"  {path}: {shown_name(member.type)} (not known)")
            continue
        count = report.count(primitive.keys())
        waiters = f"; {amount(count, 'waiter')}" if count else ""
        print(f"  {path}: {title(primitive)}{waiters}")
    if report.unknown is not None:
        print(report.unknown)


def primitives_in(value, path="", depth=0):
    """The primitives among the members of an object, those of its members included, and how they are written."""
    value_type = value.type.strip_typedefs()
    if is_primitive(value_type):
        yield path, value
    elif depth < DEEPEST and has_primitives(value_type, depth):
        if value_type.code == gdb.TYPE_CODE_ARRAY:
            first, last = value_type.range()
            for i in range(first, min(last, first + MOST_ELEMENTS - 1) + 1):
                yield from primitives_in(value[i], f"{path}[{i}]", depth + 1)
        else:
            for field in members(value_type):
                name = "" if field.is_base_class or not field.name else f".{field.name}"
                yield from primitives_in(value[field], path + name, depth + 1)


def has_primitives(value_type, depth=0):
    """Whether some of these types are primitives, before anything is read."""
    value_type = value_type.strip_typedefs()
    if is_primitive(value_type):
        return True
    if depth == DEEPEST:
        return False
    if value_type.code == gdb.TYPE_CODE_ARRAY:
        return has_primitives(value_type.target(), depth + 1)
    return value_type.code == gdb.TYPE_CODE_STRUCT and any(has_primitives(field.type, depth + 1) for field in members(value_type))


def members(value_type):
    """The bases and members of a class; not what is static, nor what a union may have."""
    return [field for field in value_type.fields() if hasattr(field, "bitpos") and not field.artificial]


def show_unknown(value):
    """An atomic, or an integer, may be a word that something waits at."""
    value_type = value.type.strip_typedefs()
    if value.address is not None:
        if class_name(value_type).startswith(("std::atomic<", "std::__1::atomic<")):
            return show_word(value, at(address_of(value), value_type.template_argument(0)))
        if value_type.code in INTEGERS:
            report = Report()
            if report.at([address_of(value)]):
                return show_word(value, value)
    raise Unreadable(f"{shown_name(value_type)} is neither a primitive of futon nor an object with one in it. For what lies at an "
                     "address: futon show (futon::AsyncLock*) ADDRESS")
