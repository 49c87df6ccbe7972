# SPDX-License-Identifier: MIT
"""The wait queues of the process, as they lie in its memory."""

import gdb

from futon_gdb import library
from futon_gdb.values import Unreadable, address_mask, address_of, atomic, elements, member


def tables():
    """The shards of each copy of the library that the process has, and of each table that the program has constructed."""
    found = {address_of(value): value for value in library.tables()}
    if not found:
        raise Unreadable("The wait queues are not found. " + library.missing())
    for tables_of_copy in library.lists_of_private_tables():
        table = atomic(tables_of_copy["first_"])
        while int(table) != 0:
            shards = table["shards"]
            if address_of(shards) in found:
                break  # a list that is being changed
            found[address_of(shards)] = shards
            table = atomic(table["next"])
    return list(found.values())


def buckets(shard):
    """All buckets of a shard: segment 0 has some, and each later one as many as all before it."""
    first, size = elements(shard["first_segment_"])
    count = size + int(atomic(shard["added_buckets_"]))
    for i in range(size):
        yield first[i]
    segments, segment_count = elements(shard["segments_"])
    begin, index = size, 1
    while begin < count and index < segment_count:
        bucket = atomic(segments[index])
        for i in range(min(begin, count - begin)):
            yield (bucket + i).dereference()
        begin, index = 2 * begin, index + 1


def queue_of(first, trouble):
    """The waiters of one queue, from the head: a ring."""
    waiter, seen = first, set()
    while True:
        address = int(waiter)
        if address == 0 or address in seen:
            trouble.append(f"the queue of {address_of(atomic(member(first, 'address_'))):#x} is being changed")
            return
        seen.add(address)
        yield waiter
        waiter = member(waiter, "next_")
        if int(waiter) == int(first):
            return


def is_held(mutex):
    """Whether a thread is changing a shard; None where the platform's mutex does not say."""
    try:
        return int(atomic(mutex["held_"])) != 0
    except (gdb.error, RuntimeError):
        return None


def queues(trouble):
    """Yields (address, the waiters there), in no order. What cannot be read is noted in `trouble`, in sentences."""
    for shards in tables():
        all_shards, count = elements(shards)
        for i in range(count):
            shard = all_shards[i]
            if is_held(shard["mutex_"]):
                trouble.append(f"a thread is changing shard {i}: what is shown of its queues may be wrong")
            for bucket in buckets(shard):
                queue = bucket["first_queue"]
                try:
                    while int(queue) != 0:
                        address = int(atomic(member(queue, "address_"))) & address_mask()
                        yield address, list(queue_of(queue, trouble))
                        queue = member(queue, "next_queue_")
                except gdb.MemoryError as error:
                    trouble.append(f"a queue of shard {i} cannot be read: {error}")
