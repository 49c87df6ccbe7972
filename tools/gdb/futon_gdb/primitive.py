# SPDX-License-Identifier: MIT
"""What a primitive is to the printers and the commands."""

from futon_gdb.values import address_of, atomic


class Primitive:
    """A primitive, read from its words once. Derived classes say what its state is."""

    def __init__(self, value):
        self.value = value

    def keys(self):
        """The addresses of its queues; none where it is in no memory."""
        return [] if self.value.address is None else [address_of(self.value)]

    def summary(self):
        """Its state, in a few words."""
        raise NotImplementedError

    def sentences(self):
        """Its state, explained."""
        return []

    def children(self):
        """What it holds for the program: names and values."""
        return ()

    def is_list(self):
        """Whether its children are items, whose names say nothing."""
        return False

    def has(self, word, name):
        """Whether a word has the bit that a constant of the class is."""
        return word & int(self.value[name]) != 0


class OneWord(Primitive):
    """A primitive that is a word."""

    def __init__(self, value):
        super().__init__(value)
        self.word = int(atomic(value["word_"]))

    def bit(self, name):
        return self.has(self.word, name)

    def waiters(self):
        return ["has waiters"] if self.bit("has_waiters") else []

    def waiters_sentence(self, what):
        return [f"has waiters: {what}"] if self.bit("has_waiters") else []


def amount(number, what):
    return f"{number} {what}" + ("s" if number != 1 else "")
