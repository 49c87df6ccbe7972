# SPDX-License-Identifier: MIT
"""Run by gdb, with what it is to do in the environment: starts the program that hangs, and compares what futon's commands
say of it, or of its core file, with what is so."""

import os
import re

import gdb

KIND = os.environ["FUTON_GDB_KIND"]  # hung or core
CORE = os.environ.get("FUTON_GDB_CORE", "")

# Of each queue its headline, and of each waiter, in order, what must be said: all of these patterns.
ON_LOOP = r"on futon::EventLoop of thread 6\b"
AGE = r"for [\d.]+ (us|ms|s|min)\b" if KIND == "hung" else r"since \d+\.\d+ s of the steady clock"
LATER = r"in 2[34](\.\d+)? h" if KIND == "hung" else r"\d+\.\d+ s of the steady clock"
# A core file does not say how old anything is.
LAST_HANDOFF = [r"^  the last handoff, or the first waiter, was [\d.]+ (ms|s) ago, or a multiple of 1\.15 min more$"
                ] if KIND == "hung" else []

QUEUES = {
    "gate": (r"; 2 waiters$", [
        [r"^thread 2 \(LWP \d+\), in futon::wait;", r"called by block_in_wait at hung\.cpp:\d+"],
        [r"^thread 4 \(LWP \d+\), in futon::wait;", "one of a select", "called by block_in_select at hung"],
    ]),
    "ledger_lock": (r", a lock: held, has waiters; 2 waiters$", [
        [r"^thread 3 \(LWP \d+\), in futon::AsyncLock::lock;", "called by block_in_lock at hung", AGE],
        [r"^coroutine take_ledger at hung\.cpp:\d+, in futon::AsyncLock::lock;", ON_LOOP, AGE,
         r"awaited by coroutine audit at hung\.cpp:\d+, that by run_until"],
    ]),
    "strict_lock": (r", a lock: held, strict, has waiters; 1 waiter$", [
        [r"^thread 4 \(LWP \d+\), in futon::AsyncLock::lock;", "one of a select", "called by block_in_select at", AGE],
    ]),
    "shared.inbox": (r"; 4 waiters$", [
        [r"^promise at 0x[0-9a-f]+, in futon::wait;", ON_LOOP, "nothing awaits it", f"gives up {LATER}"],
        [r"^promise at 0x[0-9a-f]+, in futon::wait;", ON_LOOP, r"awaited by coroutine read_inbox at hung\.cpp:\d+$"],
        [r"^coroutine choose at hung\.cpp:\d+, in futon::wait;", "one of a select", ON_LOOP, "nothing awaits it"],
        [r"^Redraw at 0x[0-9a-f]+, on futon::EventLoop at 0x"],
    ]),
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
    "futon lock &ledger_lock": [r"^futon::AsyncLock at 0x[0-9a-f]+: held, has waiters$", "^  held: an owner has it",
                                "^  has waiters: ", "^  has threads: ", *LAST_HANDOFF, r"^  1\. thread 3 "],
    "futon lock *the_guard": [r"^futon::AsyncLock at 0x[0-9a-f]+: held, strict, has waiters$", r"^  strict: "],
    "futon lock idle_lock": [r"^futon::AsyncLock at 0x[0-9a-f]+: free$", "^  free: ", "^No waiter is queued"],
    "futon loops": [r"^thread 6 \(LWP \d+\): futon::EventLoop at 0x[0-9a-f]+, which must not block: asleep, 0 jobs, "
                    rf"3 timers \(the next {LATER}\), 5 waits$"],
}

WRONG_USES = {"futon lock gate": "This is no futon::AsyncLock", "futon lock": "which lock"}


def output(command):
    return gdb.execute(command, to_string=True).rstrip("\n")


def starts_the_program():
    """Returns whether the system lets gdb do so."""
    gdb.execute("set disable-randomization off")  # which some containers forbid to change
    gdb.execute("set environment MALLOC_ARENA_MAX 1")  # a small core file
    gdb.execute("break hang")
    try:
        gdb.execute("run")
    except gdb.error as error:
        print(f"skipped: gdb cannot start a program here: {error}")
        return False
    return True


def turn_into_core():
    gdb.execute(f"generate-core-file {CORE}")
    gdb.execute("kill")
    gdb.execute(f"core-file {CORE}")


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


def wrong_printing():
    for expression, pattern in PRINTED.items():
        said = output(f"output {expression}")
        if not re.search(pattern, said):
            yield f"{expression}: {said!r} does not match {pattern!r}"


def wrong_answers():
    for command, patterns in ANSWERS.items():
        said = output(command)
        yield from (f"{command}: {said!r} does not match {p!r}" for p in patterns if not re.search(p, said, re.MULTILINE))
    for command, expected in WRONG_USES.items():
        try:
            yield f"{command}: succeeds: {output(command)!r}"
        except gdb.error as error:
            if expected not in str(error):
                yield f"{command}: {error} does not say {expected!r}"


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


def check():
    if not starts_the_program():
        return 0  # ctest knows by the message
    if KIND == "core":
        turn_into_core()
    before = gdb.selected_thread().num, gdb.selected_frame().name()
    wrong = [*wrong_queues(), *wrong_printing(), *wrong_answers(), *wrong_elsewhere()]
    if (gdb.selected_thread().num, gdb.selected_frame().name()) != before:
        wrong.append("another thread or frame is selected than before")
    print("\n".join(wrong) if wrong else "all is as it should be")
    return 1 if wrong else 0


def main():
    gdb.execute("set pagination off")
    gdb.execute("set confirm off")
    gdb.execute("set python print-stack full")
    try:
        gdb.execute(f"source {os.environ['FUTON_GDB_SCRIPT']}")
        status = check()
    except Exception as error:  # else gdb would end with success
        print(f"{type(error).__name__}: {error}")
        status = 1
    if CORE and os.path.exists(CORE):
        os.remove(CORE)
    gdb.execute(f"quit {status}")


main()
