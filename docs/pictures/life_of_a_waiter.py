# SPDX-License-Identifier: MIT
"""The life of a waiter: idle, queued, dequeued by exactly one, delivered."""

from svg import Picture


def draw():
    picture = Picture(
        900, 380, "The life of a waiter",
        "A waiter begins idle. enqueue asks the check under the lock of the queue: if it need not wait it stays idle and the wait ends at "
        "once; else it is queued. Exactly one of these dequeues it: a notify or an unlock (ok), its deadline (timed-out), its stop "
        "token (cancelled), or its owner, who is gone. Then it is delivered, under no lock: a blocked thread is unparked, for a promise "
        "or a coroutine a job is posted. If the operation proves not to be done it is enqueued again at the head.")
    picture.box(30, 60, 140, 64, ["idle", "its owner's"])
    picture.arrow((170, 92), (335, 92))
    picture.text(252, 80, "enqueue", "code")
    picture.text(252, 112, "it must wait", "small")
    picture.curve(70, 124, 30, 190, 118, 126)
    picture.text(88, 184, "it need not wait:", "small")
    picture.text(88, 202, "the wait ends at once", "small")
    picture.box(340, 60, 150, 64, ["queued", "in one queue"], "hot")
    causes = [("notify, unlock", "ok"), ("deadline", "timed-out"), ("stop token", "cancelled"), ("its owner is gone", "no delivery")]
    for number, (cause, result) in enumerate(causes):
        y = 30 + number * 48
        picture.text(575, y, cause, "strong", "start")
        picture.text(575, y + 17, result, "small", "start")
        picture.arrow((492, 92), (566, y))
    picture.text(640, 222, "exactly one of them dequeues it", "small")
    picture.arrow((735, 20), (745, 20), (745, 200), (735, 200), (745, 200), (745, 110), (790, 110), (790, 250))
    picture.box(690, 254, 160, 56, ["delivered", "under no lock"])
    picture.arrow((690, 268), (624, 268))
    picture.box(400, 244, 220, 48, ["a thread is unparked", "the wait goes on"], "thread")
    picture.arrow((690, 296), (655, 332), (624, 332))
    picture.box(400, 308, 220, 48, ["a job is posted", "it runs on the waiter's loop"], "task")
    picture.arrow((400, 300), (300, 300), (300, 160), (348, 126))
    picture.text(290, 268, "taken by another meanwhile:", "small", "end")
    picture.text(290, 286, "enqueued again, at the head", "small", "end")
    picture.arrow((400, 338), (180, 338))
    picture.text(170, 343, "done", "strong", "end")
    return picture.svg()
