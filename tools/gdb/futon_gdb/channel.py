# SPDX-License-Identifier: MIT
"""The state of a Channel, and its items; and of a ByteChannel."""

from futon_gdb.arbiter import ArbiterWord
from futon_gdb.primitive import Primitive, amount
from futon_gdb.values import address_of, atomic, first_pointer


class Channel(Primitive):
    """A bounded queue of items, or a rendezvous."""

    def __init__(self, value):
        super().__init__(value)
        self.state = value["state_"]
        self.buffer = self.state["buffer_"]
        self.item_type = value.type.strip_typedefs().template_argument(0)
        self.word = int(atomic(self.state["word_"]))
        self.capacity, self.count = int(self.buffer["capacity_"]), int(self.buffer["count_"])
        self.returned = list(self.find_returned())

    def bit(self, name):
        return self.word & int(self.state[name]) != 0

    def find_returned(self):
        """Items that were handed off to receivers that are gone: they are before all others."""
        node = self.buffer["returned_"]
        while int(first_pointer(node)) != 0:
            node = first_pointer(node, node.type.strip_typedefs().template_argument(0)).dereference()
            yield node["item"]
            node = node["next"]

    def size(self):
        return len(self.returned) + self.count

    def summary(self):
        size = amount(self.size(), "item")
        words = [f"{self.size()} of {amount(self.capacity, 'item')}" if self.capacity else
                 f"rendezvous, {size}" if self.size() else "rendezvous"]
        words += [name.replace("_", " ") for name in ("closed", "has_receivers", "has_senders") if self.bit(name)]
        return ", ".join(words)

    def sentences(self):
        lines = [f"{amount(self.size(), 'item')} in it, with room for {self.capacity}" if self.capacity else
                 "rendezvous: it has no room; a send ends when a receiver has the item"]
        if self.returned:
            lines.append(f"{amount(len(self.returned), 'item')} came back from receivers that were gone, and leave first")
        if self.bit("closed"):
            lines.append("closed: no item is sent any more; what is in it may be received")
        if self.bit("busy"):
            lines.append("busy: a thread is changing it")
        if self.bit("has_receivers"):
            lines.append("has receivers: a receiver is queued, or was")
        if self.bit("has_senders"):
            lines.append("has senders: a sender is queued, or was")
        return lines

    def is_list(self):
        return True

    def children(self):
        yield from ((f"[{i}]", item) for i, item in enumerate(self.returned))
        slots = first_pointer(self.buffer["slots_"], self.item_type)
        front = int(self.buffer["front_"])
        for i in range(self.count):
            yield f"[{len(self.returned) + i}]", slots[(front + i) % self.capacity]


class ByteChannel(Primitive):
    """Messages of bytes in a ring: a semaphore of messages, and one of free room."""

    UNIT = 8

    def __init__(self, value):
        super().__init__(value)
        self.is_made = int(atomic(value["state_"])) != 0
        self.is_closed = int(atomic(value["state_"])) == 2
        self.items, self.space = (ArbiterWord(value[name]["permits_"]) for name in ("items_", "space_"))
        self.capacity, self.used = self.UNIT * int(value["capacity_"]), self.UNIT * int(atomic(value["used_"]))

    def keys(self):
        """That of the receivers, that of the senders, and that of the threads that wait to copy."""
        if self.value.address is None:
            return []
        return [address_of(self.value[name]) for name in ("items_", "space_", "mutex_")]

    def waiters(self):
        return [f"has {name}" for name, word in (("receivers", self.items), ("senders", self.space))
                if "has_waiters" in word.bits]

    def summary(self):
        if not self.is_made:
            return "not made yet"
        return ", ".join([f"{self.used} of {self.capacity} bytes used", *(["closed"] if self.is_closed else []), *self.waiters()])

    def sentences(self):
        if not self.is_made:
            return ["not made yet: make_at makes it"]
        lines = [f"{amount(self.used, 'byte')} of the ring used by messages, of {self.capacity}"]
        if self.is_closed:
            lines.append("closed: no message is sent any more; what is in it may be received")
        return lines + [f"{name}: one is queued, or was" for name in self.waiters()]
