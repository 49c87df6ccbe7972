# SPDX-License-Identifier: MIT
"""Which class is which primitive, and which guard."""

import gdb

from futon_gdb import channel, events, library, locks
from futon_gdb.values import Unreadable, address_of, class_name, first_pointer, referred, without_arguments

PRIMITIVES = {
    "futon::AsyncLock": locks.AsyncLock,
    "futon::Guarded": locks.Guarded,
    "futon::SharedLock": locks.SharedLock,
    "futon::Semaphore": locks.Semaphore,
    "futon::Condition": events.Condition,
    "futon::Event": events.Event,
    "futon::AutoResetEvent": events.AutoResetEvent,
    "futon::Latch": events.Latch,
    "futon::Barrier": events.Barrier,
    "futon::BarrierBase": events.Barrier,
    "futon::Once": events.Once,
    "futon::Lazy": events.Lazy,
    "futon::Channel": channel.Channel,
    "futon::ByteChannel": channel.ByteChannel,
    "futon::core::Arbiter": locks.Arbiter,
}

# Of each guard the member that leads to what it owns: a pointer, a reference, or another guard.
GUARDS = {
    "futon::AsyncLock::Guard": "lock_",
    "futon::BlockingGuard": "lock_",
    "futon::Guarded::Access": "guard_",
    "futon::SharedLock::Guard": "lock_",
    "futon::SharedLock::SharedGuard": "lock_",
    "futon::SharedLock::UpgradeableGuard": "lock_",
    "futon::Semaphore::Permits": "semaphore_",
    "futon::Once::Attempt": "once_",
}

SMART_POINTERS = ("std::unique_ptr", "std::shared_ptr", "std::__1::unique_ptr", "std::__1::shared_ptr")


def kind(value_type):
    """The name of a class without the arguments of its templates."""
    return without_arguments(class_name(value_type))


def is_primitive(value_type):
    return kind(value_type) in PRIMITIVES


def is_incomplete(value_type):
    """Whether the debug information has of a class the name alone."""
    value_type = value_type.strip_typedefs()
    return value_type.code == gdb.TYPE_CODE_STRUCT and value_type.sizeof == 0


def primitive_of(value):
    """The primitive that an object is; None if it is none."""
    made = PRIMITIVES.get(kind(value.type))
    if made is None:
        return None
    try:
        return made(value)
    except gdb.MemoryError:
        raise
    except (gdb.error, RuntimeError, IndexError) as error:
        raise Unreadable(f"What a {class_name(value.type)} consists of is not known. {library.missing()}") from error


def owned_by(guard):
    """What a guard owns; None if it owns nothing."""
    owned = guard[GUARDS[kind(guard.type)]]
    if kind(owned.type) in GUARDS:
        return owned_by(owned)
    if owned.type.strip_typedefs().code != gdb.TYPE_CODE_PTR:
        return referred(owned)
    is_empty = int(owned) == 0 or (kind(guard.type) == "futon::Semaphore::Permits" and int(guard["count_"]) == 0)
    return None if is_empty else owned.dereference()


def result_of(guard):
    """Why a guard owns nothing; None where that is not recorded."""
    if kind(guard.type) == "futon::Guarded::Access":
        return result_of(guard["guard_"])
    try:
        return guard["result_"]
    except gdb.error:
        return None


def pointee(value):
    """What a pointer, or a smart pointer, points to; None if the value is neither."""
    if value.type.strip_typedefs().code == gdb.TYPE_CODE_PTR:
        pointer = value
    elif kind(value.type) in SMART_POINTERS:
        pointer = first_pointer(value, value.type.strip_typedefs().template_argument(0))
    else:
        return None
    if int(pointer) == 0:
        raise Unreadable("This pointer is null")
    target = pointer.type.strip_typedefs().target().strip_typedefs()
    if target.code in (gdb.TYPE_CODE_VOID, gdb.TYPE_CODE_FUNC):
        raise Unreadable(f"A pointer to {target} does not say what lies there: cast it, as in (futon::AsyncLock*) {address_of(pointer):#x}")
    return pointer.dereference()
