# SPDX-License-Identifier: MIT
"""What waits, where, for what, and since when."""

import re

import gdb

from futon_gdb.kinds import PRIMITIVES, primitive_of
from futon_gdb.loops import time_of
from futon_gdb.primitive import amount
from futon_gdb.tasks import Coroutine, awaited_by, describe_agent, field, is_a, shortened, states_behind
from futon_gdb.threads import Threads, member_at
from futon_gdb.values import (Unreadable, address_mask, address_of, at, atomic, class_name, enclosing, is_reference, nanoseconds, plain, referred, scalar, since,
                              symbol_at, until, whole, without_arguments)

# The debug information of gcc leaves out constants that are strings: the names of futon's own operations.
OPERATIONS = {
    "futon::WordWait": "futon::wait",
    "futon::AsyncLock::Locking": "futon::AsyncLock::lock",
    "futon::Guarded::Acquiring": "futon::Guarded::lock",
    "futon::SharedLock::Locking": "futon::SharedLock::lock",
    "futon::SharedLock::LockingShared": "futon::SharedLock::lock_shared",
    "futon::SharedLock::LockingUpgradeable": "futon::SharedLock::lock_upgradeable",
    "futon::SharedLock::Upgrading": "futon::SharedLock::upgrade",
    "futon::SharedLock::UpgradeableGuard::Upgrading": "futon::SharedLock::upgrade",
    "futon::Semaphore::Acquiring": "futon::Semaphore::acquire",
    "futon::Semaphore::ScopedAcquiring": "futon::Semaphore::scoped_acquire",
    "futon::Condition::Waiting": "futon::Condition::wait",
    "futon::Event::Waiting": "futon::Event::wait",
    "futon::AutoResetEvent::Waiting": "futon::AutoResetEvent::wait",
    "futon::Latch::Waiting": "futon::Latch::wait",
    "futon::BarrierBase::Waiting": "futon::Barrier::wait",
    "futon::Channel::SendOperation": "futon::Channel::send",
    "futon::Channel::Receiving": "futon::Channel::receive",
    "futon::ByteChannel::Sending": "futon::ByteChannel::send",
    "futon::ByteChannel::Receiving": "futon::ByteChannel::receive",
    "futon::ByteChannel::ReceivingInto": "futon::ByteChannel::receive",
    "futon::Once::Beginning": "futon::Once::begin",
}


class Waiter:
    """A waiter, in words."""

    def __init__(self, pointer, threads, words):
        self.threads, self.words = threads, words
        self.object, self.name = whole(pointer)
        self.address = address_of(pointer)
        self.operation, self.details, self.op_type = "", [], None
        self.promises = []  # the states of promises that are pending for it
        self.op = self.find_operation()
        self.who = self.find_who()
        self.note_request()
        self.note_times()

    def __str__(self):
        return "; ".join([self.who + (f", in {self.operation}" if self.operation else ""), *self.details])

    def find_operation(self):
        """The operation, if it is in memory; its class and name are noted."""
        found = field(self.object, "op_")
        if found is None and (reference := field(self.object, "reference_")) is not None and is_reference(reference.type):
            found = reference  # of OperationWaiter
        if found is None and (attempt := field(self.object, "attempt_")) is not None:
            found = field(attempt.referenced_value(), "op_")
        if found is None and (kept := field(self.object, "kept_")) is not None:
            found = field(kept, "op")
            if is_a(found.type, "futon::core::Forgotten"):
                self.op_type, found = found.type.strip_typedefs().template_argument(0), None
        if found is None and (locking := field(self.object, "locking_")) is not None:  # of lock_all
            found = engaged(locking)
        if found is None and (work := field(self.object, "work_")) is not None:  # of call_back
            found = engaged(work)["op"]
        if found is not None:
            found = referred(found)
            self.op_type = found.type
        self.operation = operation_name(self.op_type) if self.op_type is not None else ""
        return found

    def find_who(self):
        kind = self.object.type
        if is_a(kind, "futon::core::SelectMember"):
            return self.describe_select()
        if is_a(kind, "futon::core::BlockedWaiter"):
            return self.describe_thread(self.address)
        continuation = field(self.object, "continuation_")
        if continuation is not None:
            return self.describe_coroutine(continuation, self.object["agent_"])
        if is_a(kind, "futon::detail::PromiseStateBase"):
            return self.describe_promise()
        if is_a(kind, "futon::core::AgentWaiter"):
            return f"{shortened(self.name)}, on {describe_agent(self.object['agent_'], self.threads)}"
        if is_a(kind, "futon::core::AsyncWaiter"):
            executor = shortened(whole(self.object["executor_"])[1])
            return f"{shortened(self.name)} at {self.address:#x}, on {executor} at {int(self.object['executor_']):#x}"
        return f"{shortened(self.name)} at {self.address:#x}"

    def describe_thread(self, address):
        thread = self.threads.on_whose_stack(address)
        if thread is None:
            return f"a blocked thread, which is unknown: its waiter is at {address:#x}"
        caller = thread.caller(address)
        if caller:
            self.details.append(f"called by {caller}")
        return str(thread)

    def describe_coroutine(self, continuation, agent):
        coroutine = Coroutine(continuation)
        self.details.append(f"on {describe_agent(agent, self.threads)}")
        if coroutine.state is not None:
            self.promises = list(states_behind(coroutine.state))
            self.details.append(awaited_by(coroutine.state) or "nothing awaits it")
        return str(coroutine)

    def describe_promise(self):
        state = self.object
        if not self.operation and "SourcedPromise" in self.name:
            self.operation = "futon::PromiseSource"
        self.promises = list(states_behind(state))
        chain = awaited_by(state)
        self.details.append(f"on {describe_agent(state['agent_'], self.threads)}")
        self.details.append(chain or "nothing awaits it")
        return f"promise at {address_of(state):#x}"

    def describe_select(self):
        group, _ = whole(self.object["group_"].referenced_value().address)
        self.details.append("one of a select")
        waiting = field(group, "waiter_")
        if waiting is None:
            return self.describe_thread(address_of(group))
        waiting = waiting.referenced_value()
        return self.describe_coroutine(waiting["continuation_"], waiting["agent_"])

    def is_queued(self):
        return str(atomic(self.object["state_"])).endswith("waiting")

    def key(self):
        """The address of the queue that it is in, or was in last."""
        return int(atomic(self.object["address_"])) & address_mask()

    def was_woken_at(self):
        """The address of the queue that a waker has taken it from; 0 if that did not happen."""
        return 0 if self.is_queued() else self.key()

    def kind(self):
        """The class of the operation, without the arguments of its templates."""
        return "" if self.op_type is None else without_arguments(class_name(self.op_type))

    def primitive(self, key):
        """The primitive whose queue this waiter is in; None if it waits for a word, or that is not known."""
        try:
            if self.op is not None and self.kind().endswith("::Upgrading"):
                return primitive_of(scalar(self.op["lock_"]).dereference())  # the queue is inside of the lock
            name = self.op_type is not None and enclosing(class_name(self.op_type)) or ""
            if self.op is not None and name == "futon::Condition" and int(scalar(self.op["condition_"])) != key:
                name = "futon::AsyncLock"  # it was notified, and moved to its lock's queue
            while name and without_arguments(name) not in PRIMITIVES:
                name = enclosing(name)
            return primitive_of(at(key, gdb.lookup_type(name))) if name else None
        except (gdb.error, Unreadable):
            return None

    def note_request(self):
        """What it asks for."""
        if self.op is None:
            return
        if self.kind() in ("futon::Semaphore::Acquiring", "futon::Semaphore::ScopedAcquiring"):
            self.details.append(f"asks for {amount(int(self.op['amount_']), 'permit')}")
        elif self.kind() == "futon::ByteChannel::Sending":
            self.details.append(f"asks for room of {amount(8 * int(self.op['amount_']), 'byte')}")
        elif self.kind() == "futon::Condition::Waiting":
            lock = int(self.op["lock_"])
            name = self.words.name(lock)
            self.details.append(f"with the lock at {lock:#x}" + (f" <{name}>" if name else ""))

    def note_times(self):
        begun = None
        if self.op is not None and is_a(self.op.type, "futon::core::ArbiterBase::Request"):
            begun = int(self.op["since_"])  # also where it was woken in vain, and enqueued again
        begun = begun or self.stamp()
        if begun is not None:
            self.details.append(since(begun))
        limits = field(self.object, "limits_")
        armed = None if limits is None else field(limits, "is_armed_")
        if armed is not None and bool(armed):
            self.details.append(f"gives up {until(time_of(int(limits['tick_'])))}")

    def stamp(self):
        """The time point that a probe has kept in the waiter."""
        kept = field(self.object, "stamp_")
        for member in () if kept is None else kept.type.strip_typedefs().fields():
            if "time_point<std::chrono::" in str(member.type.strip_typedefs()):
                return nanoseconds(kept[member.name])
        return None


def operation_name(operation):
    name = class_name(operation)
    return OPERATIONS.get(without_arguments(name)) or shortened(name)


def engaged(optional):
    """What a std::optional has: it is kept at its beginning."""
    return at(address_of(optional), optional.type.strip_typedefs().template_argument(0))


class Words:
    """Names for addresses."""

    def __init__(self, threads):
        self.threads = threads

    def name(self, address):
        """A global variable, or a local one of some thread; empty if it is neither."""
        found = re.match(r"(.*?)(?: \+ (\d+))? in section", symbol_at(address))
        if found:
            offset = int(found[2] or 0)
            return plain(found[1]) + (self.member(found[1], offset) or (f" + {offset}" if offset else ""))
        thread = self.threads.on_whose_stack(address)
        if thread is None:
            return ""
        local = thread.local_at(address)
        return (local or "on the stack") + f" in thread {thread.thread.num}"

    @staticmethod
    def member(name, offset):
        symbol = gdb.lookup_global_symbol(name) or gdb.lookup_static_symbol(name)
        return "" if symbol is None else member_at(symbol.type, offset)


def grouped(queues):
    """The queues by their addresses; two tables may each have one for the same."""
    found = {}
    for address, waiters in queues:
        found.setdefault(address, []).extend(waiters)
    return sorted(found.items())


def survey():
    """All threads, and names for addresses."""
    threads = Threads()
    if not threads.threads:
        raise Unreadable("The program is not being run, and there is no core file.")
    return threads, Words(threads)
