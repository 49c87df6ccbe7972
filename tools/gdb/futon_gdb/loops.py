# SPDX-License-Identifier: MIT
"""What an event loop is at: its jobs, its timers, the waits of its agent."""

import gdb

from futon_gdb.primitive import amount
from futon_gdb.tasks import shortened
from futon_gdb.values import address_of, at, atomic, constant, elements, first_pointer, member, until, whole


def time_of(tick):
    """What the tick of a timer is, in nanoseconds of the steady clock."""
    return tick << constant("futon::core::TimerWheel", "tick_bits")


LOOPS = ("futon::EventLoop", "futon::core::LoopExecutor", "futon::core::HostedLoop")


def count_list(job):
    count = 0
    while int(job) != 0:
        count, job = count + 1, member(job, "next")
    return count


def ring(links):
    """The nodes of a ring, without its head."""
    head, node = address_of(links), links["after"]
    while int(node) != head:
        yield node
        node = node["after"]


def count_ring(links):
    return sum(1 for _ in ring(links))


def waits_of(agent):
    """The waiters of an agent: those that are queued, or being delivered."""
    waiter = gdb.lookup_type("futon::core::AgentWaiter")
    links = next(base for base in waiter.fields() if base.is_base_class and base.name == "futon::detail::RingLinks")
    for node in ring(agent["waits_"]):
        yield at(address_of(node) - links.bitpos // 8, waiter).address


class Loop:
    """A futon::EventLoop or a futon::core::LoopExecutor."""

    def __init__(self, loop):
        self.core = first_pointer(loop["loop_"], gdb.lookup_type("futon::detail::LoopCore")).dereference()
        arrived = atomic(self.core["arrived_"]["newest_"])
        self.is_asleep = int(arrived) == address_of(self.core["arrived_"])
        self.depth = int(self.core["depth_"])
        self.jobs = (0 if self.is_asleep else count_list(arrived)) + count_list(self.core["own_"]["first_"]) + \
            count_list(self.core["ready_"]["jobs_"]["first_"])
        self.agent = self.core["agent_"]
        self.waits = count_ring(self.agent["waits_"])
        self.is_closed = bool(self.agent["is_closed_"])
        self.ticks = sorted(ticks_of(self.core["timers_"]))

    def state(self):
        # A loop that runs its jobs sleeps in the middle of its run.
        state = "asleep" if self.is_asleep else "running" if self.depth > 0 else "not running"
        return state + (", closed" if self.is_closed else "")

    def next_timer(self):
        return until(time_of(self.ticks[0])) if self.ticks else "none"

    def summary(self):
        line = f"{self.state()}, {amount(self.jobs, 'job')}, {amount(len(self.ticks), 'timer')}"
        if self.ticks:
            line += f" (the next {self.next_timer()})"
        return line + f", {amount(self.waits, 'wait')}"


def ticks_of(wheel):
    """When the timers of a wheel are due."""
    banks, bank_count = elements(wheel["banks_"])
    for i in range(bank_count):
        if int(banks[i]["occupied_levels"]) == 0:
            continue
        slots, slot_count = elements(banks[i]["slots"])
        for j in range(slot_count):
            first = timer = slots[j]
            while int(timer) != 0:
                yield int(member(timer, "tick_"))
                timer = member(timer, "next_")
                if int(timer) == int(first):
                    break


def agents_of(thread):
    """The agents of a thread, the newest first."""
    agent_type = gdb.lookup_type("futon::Agent")
    for slot in sorted(thread.slots):
        agent = at(slot, agent_type.pointer())
        while int(agent) != 0 and int(agent["newer_"]) != 0:
            agent = agent["newer_"]  # a loop runs its jobs under its own agent, which need not be the newest
        while int(agent) != 0:
            yield agent.dereference()
            agent = agent["older_"]


def all_agents(threads):
    """A line for each agent, thread after thread."""
    for thread in threads.threads:
        yield from (f"{thread}: {describe(agent)}" for agent in agents_of(thread))


def describe(agent):
    executor = agent["executor_"]
    may = "may block" if bool(agent["can_block_"]) else "must not block"
    if int(executor) == 0:
        return f"an agent without an executor, which {may}"
    loop, name = whole(executor)
    line = f"{shortened(name)} at {address_of(loop):#x}, which {may}: "
    try:
        return line + Loop(loop).summary()
    except gdb.error:  # an executor that is no loop of futon's
        return line + amount(count_ring(agent["waits_"]), "wait") + (", closed" if bool(agent["is_closed_"]) else "")
