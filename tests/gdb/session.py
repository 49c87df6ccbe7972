# SPDX-License-Identifier: MIT
"""What the checks have in common, which gdb runs with what they are to do in the environment: the program that hangs is started,
and what futon's commands say of it, or of its core file, is compared with what is so."""

import os
import re

import gdb

KIND = os.environ["FUTON_GDB_KIND"]  # hung or core
CORE = os.environ.get("FUTON_GDB_CORE", "")
SCRIPT = os.environ.get("FUTON_GDB_SCRIPT", "")  # the commands; empty where gdb is to load them with the library
IS_LIVE = KIND == "hung"  # a core file does not say how old anything is


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


def wrong_printing(printed):
    """What `print` says of expressions, and of each the pattern that it must match."""
    for expression, pattern in printed.items():
        said = output(f"output {expression}")
        if not re.search(pattern, said):
            yield f"{expression}: {said!r} does not match {pattern!r}"


def wrong_answers(answers):
    """What commands say, and of each the patterns that must match."""
    for command, patterns in answers.items():
        try:
            said = output(command)
        except gdb.error as error:
            said = str(error)
        yield from (f"{command}: {said!r} does not match {p!r}" for p in patterns if not re.search(p, said, re.MULTILINE))


def wrong_uses(uses):
    """What commands fail with."""
    for command, expected in uses.items():
        try:
            yield f"{command}: succeeds: {output(command)!r}"
        except gdb.error as error:
            if expected not in str(error):
                yield f"{command}: {error} does not say {expected!r}"


def status_of(what_is_wrong):
    if not starts_the_program():
        return 0  # ctest knows by the message
    if KIND == "core":
        turn_into_core()
    before = gdb.selected_thread().num, gdb.selected_frame().name()
    wrong = list(what_is_wrong())
    if (gdb.selected_thread().num, gdb.selected_frame().name()) != before:
        wrong.append("another thread or frame is selected than before")
    print("\n".join(wrong) if wrong else "all is as it should be")
    return 1 if wrong else 0


def run(what_is_wrong):
    """Ends gdb, with success if the check yields nothing."""
    gdb.execute("set pagination off")
    gdb.execute("set confirm off")
    gdb.execute("set python print-stack full")
    try:
        if SCRIPT:
            gdb.execute(f"source {SCRIPT}")
        status = status_of(what_is_wrong)
    except Exception as error:  # else gdb would end with success
        print(f"{type(error).__name__}: {error}")
        status = 1
    if CORE and os.path.exists(CORE):
        os.remove(CORE)
    gdb.execute(f"quit {status}")
