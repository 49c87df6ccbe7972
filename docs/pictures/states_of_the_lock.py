# SPDX-License-Identifier: MIT
"""The states of an AsyncLock, as its word tells them."""

from svg import Picture


def draw():
    picture = Picture(
        900, 410, "The states of an AsyncLock",
        "A free lock becomes held by one compare-exchange, and free by another. If a caller finds it held, a waiter is queued: held, with "
        "waiters. An unlock then does one of three things. As a rule it sets the lock free and wakes the first waiter, and whichever "
        "thread tries first takes it: barging. Once in a millisecond, or each time if the lock is strict, it hands the lock off to a "
        "thread directly, so that the lock never becomes free. To a task of an event loop it is offered then, or when its loop is about "
        "to look at its jobs, and the offer expires when the loop should have come.")
    picture.box(40, 40, 150, 64, ["free", "0"])
    picture.box(360, 40, 160, 64, ["held", "no waiter"], "hot")
    picture.arrow((190, 60), (355, 60))
    picture.text(272, 50, "lock", "code")
    picture.arrow((360, 86), (195, 86))
    picture.text(272, 106, "unlock", "code")
    picture.box(680, 40, 180, 64, ["held, has waiters", "threads and tasks"], "hot")
    picture.arrow((520, 72), (675, 72))
    picture.text(598, 60, "another comes", "small")
    picture.text(770, 140, "unlock", "code")
    picture.arrow((770, 104), (770, 124))
    picture.arrow((740, 146), (150, 196))
    picture.arrow((760, 150), (460, 226))
    picture.arrow((780, 150), (780, 226))
    picture.box(30, 200, 240, 72, ["free, one is woken", "no handoff is due", "any thread may take it: barging"])
    picture.box(335, 230, 250, 72, ["offered", "a handoff is due, or its loop looks soon", "a task's alone, until its loop looks"], "task")
    picture.box(635, 230, 250, 72, ["handed off", "a handoff is due; first is a thread", "never free in between"], "thread")
    picture.arrow((150, 272), (150, 352))
    picture.arrow((410, 302), (410, 352))
    picture.arrow((760, 302), (760, 352))
    picture.box(40, 356, 230, 44, ["held", "by the woken, or by a caller"], "hot")
    picture.box(300, 356, 230, 44, ["held", "by the task"], "hot")
    picture.box(650, 356, 220, 44, ["held", "by the first in the queue"], "hot")
    picture.arrow((335, 262), (275, 262))
    picture.text(304, 250, "expires", "small")
    return picture.svg()
