# SPDX-License-Identifier: MIT
"""The one wait queue of a word: threads, promises and coroutines in the order in which they came."""

from svg import Picture


def draw():
    picture = Picture(
        900, 300, "The one wait queue",
        "A word of memory has one wait queue, found by its address. In it are, from the head to the tail: a blocked thread, a coroutine "
        "of an event loop, a promise, and another blocked thread. notify takes from the head: a thread is unparked, for a task a job is "
        "posted to its loop. wait and wait_async enqueue at the tail. A waiter whose deadline comes leaves from the middle, and the "
        "others keep their places.")
    picture.box(20, 40, 130, 60, ["a word", "1, 2, 4 or 8 bytes"], "hot")
    picture.text(85, 122, "its address is the key", "small")
    picture.arrow((150, 70), (218, 70))
    waiters = [("thread", "blocked in wait", "thread"), ("coroutine", "co_await", "task"), ("promise", "wait_async", "task"),
               ("thread", "blocked in lock", "thread")]
    for number, (name, how, style) in enumerate(waiters):
        x = 225 + number * 150
        picture.box(x, 40, 120, 60, [name, how], style)
        if number:
            picture.arrow((x - 30, 70), (x - 5, 70))
    picture.text(285, 28, "head: woken first", "small")
    picture.text(735, 28, "tail: enqueued here", "small")
    picture.arrow((285, 100), (285, 158))
    picture.box(225, 162, 120, 44, ["notify", "from any thread"])
    picture.arrow((225, 184), (170, 184), (170, 240))
    picture.arrow((345, 184), (400, 184), (400, 240))
    picture.box(75, 244, 190, 44, ["unpark the thread", "its wait returns"], "thread")
    picture.box(310, 244, 180, 44, ["post a job", "it runs on its own loop"], "task")
    picture.arrow((585, 100), (585, 158))
    picture.box(505, 162, 150, 44, ["deadline, stop", "from the middle"])
    picture.arrow((740, 162), (740, 105))
    picture.box(668, 162, 170, 44, ["wait, wait_async", "check and enqueue"])
    picture.text(753, 226, "one step under one lock", "small")
    return picture.svg()
