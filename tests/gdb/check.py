# SPDX-License-Identifier: MIT
"""Run by gdb on the program that hangs with one waiter of each kind; see session.py."""

import os
import re
import sys

import gdb

sys.path.insert(0, os.path.dirname(os.path.realpath(sys._getframe().f_code.co_filename)))
from session import IS_LIVE, output, run, wrong_answers, wrong_printing, wrong_uses  # noqa: E402

# Of each queue its headline, and of each waiter, in order, what must be said: all of these patterns.
ON_LOOP = r"on futon::EventLoop of thread 6\b"
AGE = r"for [\d.]+ (us|ms|s|min)\b" if IS_LIVE else r"since \d+\.\d+ s of the steady clock"
LATER = r"in 2[34](\.\d+)? h" if IS_LIVE else r"\d+\.\d+ s of the steady clock"
LAST_HANDOFF = [r"^  the last handoff, or the first waiter, was [\d.]+ (ms|s) ago, or a multiple of 1\.15 min more$"
                ] if IS_LIVE else []

QUEUES = {
    "gate": (r"; 2 waiters$", [
        [r"^thread 2 \(LWP \d+\), in futon::wait;", r"called by block_in_wait at hung\.cpp:\d+"],
        [r"^thread 4 \(LWP \d+\), in futon::wait;", "one of a select", "called by block_in_select at hung"],
    ]),
    "ledger_lock": (r", futon::AsyncLock \(held, has waiters\); 2 waiters$", [
        [r"^thread 3 \(LWP \d+\), in futon::AsyncLock::lock;", "called by block_in_lock at hung", AGE],
        [r"^coroutine take_ledger at hung\.cpp:\d+, in futon::AsyncLock::lock;", ON_LOOP, AGE,
         r"awaited by coroutine audit at hung\.cpp:\d+, that by run_until"],
    ]),
    "strict_lock": (r", futon::AsyncLock \(held, strict, has waiters\); 1 waiter$", [
        [r"^thread 4 \(LWP \d+\), in futon::AsyncLock::lock;", "one of a select", "called by block_in_select at", AGE],
    ]),
    "shared.inbox": (r"; 4 waiters$", [
        [r"^promise at 0x[0-9a-f]+, in futon::wait;", ON_LOOP, "nothing awaits it", f"gives up {LATER}"],
        [r"^promise at 0x[0-9a-f]+, in futon::wait;", ON_LOOP, r"awaited by coroutine read_inbox at hung\.cpp:\d+$"],
        [r"^coroutine choose at hung\.cpp:\d+, in futon::wait;", "one of a select", ON_LOOP, "nothing awaits it"],
        [r"^Redraw at 0x[0-9a-f]+, on futon::EventLoop at 0x"],
    ]),
    "apart": (r"; 1 waiter$", [[r"^Redraw at 0x[0-9a-f]+, on futon::EventLoop at 0x"]]),
    "local of main in thread 1": (r"; 1 waiter$", [
        [r"^thread 5 \(LWP \d+\), in futon::wait;", "called by block_on_local at hung"],
    ]),
    "": (r"; 1 waiter$", [[r"^promise at 0x[0-9a-f]+, in futon::PromiseSource;", ON_LOOP, "nothing awaits it"]]),
}

PRINTED = {
    "ledger_lock": r"^futon::AsyncLock \(held, has waiters\)$",
    "strict_lock": r"^futon::AsyncLock \(held, strict, has waiters\)$",
    "idle_lock": r"^futon::AsyncLock \(free\)$",
    "never": r"^futon::Deadline \(never\)$",
    "due": r"^futon::Deadline \(due\)$",
    "later": rf"^futon::Deadline \({LATER}\)$",
    "result": r"^futon::WaitResult \(timed-out\)$",
    "(futon::WaitResult)9": r"^futon::WaitResult \(invalid: 9\)$",
    "word": r"^futon::Word<int> at 0x[0-9a-f]+ = 7$",
    "*the_guard": r"^futon::AsyncLock::Guard \(owns 0x[0-9a-f]+\)$",
    "*the_loop": r"^futon::EventLoop \(asleep\) = \{jobs = 0, timers = 3, next timer = \"?" + LATER +
                 r"\"?, waits = 5, closed = no\}$",
    "*the_promise": r"^futon::Promise<void> \(pending, awaited by run_until\)$",
}

# What the commands say of single expressions.
ANSWERS = {
    "futon waiters word": [r"^0x[0-9a-f]+ <local of main in thread 1>; 1 waiter$"],
    "futon waiters &gate": [r"<gate>; 2 waiters$"],
    "futon waiters idle_lock": [r"^No waiter is queued at 0x[0-9a-f]+\.$"],
    "futon lock &ledger_lock": [r"^futon::AsyncLock at 0x[0-9a-f]+ <ledger_lock>: held, has waiters$", "^  held: an owner has it",
                                "^  has waiters: ", "^  has threads: ", *LAST_HANDOFF, r"^  1\. thread 3 "],
    "futon lock *the_guard": ["^This futon::AsyncLock::Guard owns:$",
                              r"^futon::AsyncLock at 0x[0-9a-f]+ <strict_lock>: held, strict, has waiters$", r"^  strict: "],
    "futon lock idle_lock": [r"^futon::AsyncLock at 0x[0-9a-f]+ <idle_lock>: free$", "^  free: ", "^No waiter is queued"],
    "futon loops": [r"^thread 6 \(LWP \d+\): futon::EventLoop at 0x[0-9a-f]+, which must not block: asleep, 0 jobs, "
                    rf"3 timers \(the next {LATER}\), 5 waits$"],
}

WRONG_USES = {"futon lock": "futon lock: which one?", "futon show unused": "int is neither a primitive of futon nor an object"}


def wrong_queues():
    text = output("futon waiters")
    shown, waiters = {}, None
    for line in text.splitlines():
        if headline := re.match(r"^0x[0-9a-f]+(?: <([^>]*)>)?(.*)$", line):
            waiters = []
            shown[headline[1] or ""] = (headline[2], waiters)
        elif waiter := re.match(r"^  \d+\. (.*)$", line):
            waiters.append(waiter[1])
        else:
            yield f"futon waiters: this is unexpected: {line}"
    if shown.keys() != QUEUES.keys():
        yield f"futon waiters: the queues are {sorted(shown)}, and should be {sorted(QUEUES)}\n{text}"
        return
    for name, (headline, expected) in QUEUES.items():
        if not re.search(headline, shown[name][0]):
            yield f"{name}: {shown[name][0]!r} does not match {headline!r}"
        if len(shown[name][1]) != len(expected):
            yield f"{name}: {len(shown[name][1])} waiters are shown, and should be {len(expected)}"
        for waiter, patterns in zip(shown[name][1], expected):
            yield from (f"{name}: {waiter!r} does not match {p!r}" for p in patterns if not re.search(p, waiter))


def wrong_elsewhere():
    """From where another thread sleeps, in the C library, what is in the program's files is found too."""
    gdb.execute("thread 2", to_string=True)
    commands = ("futon lock ledger_lock", f"futon lock {int(gdb.parse_and_eval('the_guard->lock_'))}", "futon waiters gate")
    for command, pattern in zip(commands, (": held, has waiters$", ": held, strict", "<gate>; 2 waiters$")):
        try:
            said = output(command)
        except gdb.error as error:
            said = str(error)
        if not re.search(pattern, said, re.MULTILINE):
            yield f"{command}, from another thread: {said!r} does not match {pattern!r}"
    gdb.execute("thread 1", to_string=True)


def what_is_wrong():
    yield from wrong_queues()
    yield from wrong_printing(PRINTED)
    yield from wrong_answers(ANSWERS)
    yield from wrong_uses(WRONG_USES)
    yield from wrong_elsewhere()


run(what_is_wrong)
