#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What futon top shows in a terminal, and what keys, signals and the program's end do to it."""

import os
import re
import signal
import sys
import threading
import unittest

from session import LIMIT, TOP, COMMAND, Terminal, Test, line, lock, snapshot

OWNER = {"who": "t1", "mode": "exclusive", "amount": 1, "since_ns": 4 * 10**9, "where": "bank.cpp:41"}
WAITER = {"who": "c5", "operation": "futon::AsyncLock::lock", "since_ns": 3 * 10**9, "where": "bank.cpp:77"}

# Two snapshots, and others whose time is the second one's: however often the program is asked, the rates stay.
FIRST = snapshot(5, [lock("accounts", 100, holders=[OWNER], waiters=[WAITER]), lock("ledger", 1000, address="0x7ffe0020")])
SECOND = snapshot(9, [lock("accounts", 300, holders=[OWNER], waiters=[WAITER]), lock("ledger", 1004, address="0x7ffe0020")])
SELDOM = ("--interval", "3600")  # asked only when a key says so


class View(Test):
    def show(self, program, *words, **size):
        return Terminal(self, TOP, program.pid, *words, **size)

    def expect_row(self, screen, pattern):
        self.assertTrue(any(re.search(pattern, row) for row in screen.splitlines()), f"no row is like {pattern}:\n{screen}")

    def test_shows_owners_waiters_times_and_loops(self):
        program = self.start(FIRST)
        screen = self.show(program, *SELDOM).wait_for("2 objects by contentions", "q quit")

        self.expect_row(screen, r"^> ledger +- +- +0 +- ")
        self.expect_row(screen, r"^  accounts +t1 +1\.0s +1 +- 1\.2us  90us 120us 1\.2us  90us 120us$")
        self.expect_row(screen, rf"^bank \({program.pid}\)  watched 0ns  1 thread  1 loop  1 coroutine  futon 0\.9\.0$")
        self.expect_row(screen, r"^l1 main: delay 120us, longest 4\.0ms, on t1 teller \(4712\)$")

    def test_shows_rates_between_snapshots_when_a_key_asks(self):
        terminal = Terminal(self, COMMAND, "top", self.start(FIRST, SECOND).pid, *SELDOM)
        terminal.wait_for("watched 0ns")
        terminal.press("u")
        # All that is asked of the screen, for the terminal may have drawn a part of it.
        screen = terminal.wait_for("watched 4.0s", "> accounts  ", "  ledger  ", "for 5.0s, at", "waiting 6.0s: ")

        self.expect_row(screen, r"^> accounts +t1 +5\.0s +1 +50 ")
        self.expect_row(screen, r"^  ledger +- +- +0 +1 ")
        self.assertIn("held by t1 teller (4712), exclusive, for 5.0s, at bank.cpp:41\n", screen)
        self.assertIn("waiting 6.0s: coroutine c5 of l1 in futon::AsyncLock::lock, at bank.cpp:77\n", screen)

    def test_asks_by_itself(self):
        answers = [snapshot(5 + i, [lock("accounts", 100 * i)]) for i in range(6)]
        terminal = self.show(self.start(*answers), "--interval", "0.02")

        self.expect_row(terminal.wait_for("watched 5.0s", " 100 "), r"^> accounts .* 100 ")

    def test_sorts_and_filters_by_options_and_by_keys(self):
        terminal = self.show(self.start(FIRST), *SELDOM, "--sort", "waiters", "--filter", "LEDG")
        terminal.wait_for("1 of 2 objects by waiters  filter: LEDG", "> ledger", without=["  accounts"])
        terminal.press("/", "BSpace", "BSpace", "BSpace", "BSpace", "a", "c", "c")
        terminal.wait_for("filter: acc_", "> accounts", without=["ledger"])
        terminal.press("Enter", "h")
        terminal.wait_for("1 of 2 objects by hold p99  filter: acc")
        terminal.press("/", "x", "x")
        terminal.wait_for("no object matches the filter")
        terminal.press("Escape")
        terminal.wait_for("> accounts")

    def test_shows_places_and_objects_again(self):
        profile = lock("accounts", 300)["profile"]
        places = [{"object": "accounts", "where": "bank.cpp:77", "profile": profile}]
        terminal = self.show(self.start({**FIRST, "sampled_one_in": 0, "places": places}), *SELDOM)
        terminal.wait_for("2 objects by contentions")
        terminal.press("P")
        screen = terminal.wait_for("1 place by time waited", "P objects", without=["ledger"])
        self.expect_row(screen, r"^accounts +bank\.cpp:77 +3\.0k +300 1\.2us  90us 1\.2us  90us$")
        terminal.press("P")
        terminal.wait_for("2 objects by contentions", "ledger")

    def test_selects_by_arrows_and_shows_what_is_selected(self):
        terminal = self.show(self.start(FIRST), *SELDOM)
        terminal.wait_for("> ledger", "-- ledger: AsyncLock 0x7ffe0020 -")
        terminal.press("Down")
        terminal.wait_for("> accounts", "-- accounts: AsyncLock 0x7ffe0010 -", "held by t1")
        terminal.press("Up")
        terminal.wait_for("> ledger")

    def test_pauses_explains_and_quits(self):
        terminal = self.show(self.start(FIRST, SECOND), *SELDOM)
        terminal.wait_for("watched 0ns")
        terminal.press("p")
        terminal.wait_for("PAUSED")
        terminal.press("?")
        terminal.wait_for("acquisitions a second that had to wait", without=["accounts"])
        terminal.press("x")
        terminal.wait_for("PAUSED", "accounts")
        terminal.press("p")
        terminal.wait_for("watched 4.0s", without=["PAUSED"])
        terminal.press("q")
        terminal.wait_for_end(0)

    def test_follows_the_size_of_the_terminal(self):
        terminal = self.show(self.start(FIRST), *SELDOM)
        terminal.wait_for("OBJECT          OWNER SINCE WAITERS CONT/s   p50   p99   max   p50   p99   max")
        terminal.resize(40, 24)
        screen = terminal.wait_for("  OBJECT      OWNER WAITERS CONT/s   p99\n", "q quit  ? help  p pause  / filter\n")
        self.expect_row(screen, r"^  accounts    t1          1      -  90us$")
        terminal.resize(120, 8)
        terminal.wait_for("KIND", "accounts", "q quit", without=["-- ledger"])
        terminal.resize(10, 3)
        terminal.wait_for("q quit\n", without=["accounts"])
        terminal.resize(80, 24)
        terminal.wait_for("WAITERS CONT/s   p50", "-- ledger", "l1 main")

    def test_shows_names_of_all_scripts_and_obeys_none(self):
        odd = [lock("口座 Käse", 2), lock("a\x1b[2J\x1b]0;x\x07b", 1, address="0x20")]
        screen = self.show(self.start(snapshot(5, odd)), *SELDOM).wait_for("口座 Käse", "a?[2J?]0;x?b")
        self.expect_row(screen, r"^> 口座 Käse       -         -       0 ")

    def test_quits_at_signals(self):
        program = self.start(FIRST)
        terminal = self.show(program, *SELDOM)
        terminal.wait_for("accounts")
        terminal.press("C-c")
        terminal.wait_for_end(0)

    def test_quits_at_a_signal_to_terminate(self):
        terminal = self.show(self.start(FIRST), *SELDOM)
        terminal.wait_for("accounts")
        os.kill(terminal.pid(), signal.SIGTERM)
        terminal.wait_for_end(0)

    def test_says_that_the_program_has_ended(self):
        program = self.start(FIRST)
        terminal = self.show(program, *SELDOM)
        terminal.wait_for("accounts")
        program.stdin.close()
        terminal.wait_for_end(0, f"({program.pid}) has ended")

    def test_says_that_the_program_was_killed(self):
        program = self.start(FIRST)
        terminal = self.show(program, *SELDOM)
        terminal.wait_for("accounts")
        program.stdin.write(b"die\n")
        program.stdin.flush()
        terminal.wait_for_end(0, f"({program.pid}) has ended")

    def test_says_that_the_program_serves_no_longer(self):
        may_close = threading.Event()

        def answer_once(connection):
            connection.recv(64)
            connection.sendall(line(FIRST).replace(b"PID", b"1") + b"\n")
            may_close.wait(LIMIT)

        self.serve(answer_once)
        terminal = Terminal(self, TOP, os.getpid(), *SELDOM)
        terminal.wait_for("accounts")
        may_close.set()
        terminal.wait_for_end(5, "no longer offers its diagnostics")

    def test_says_what_is_wrong_with_an_answer(self):
        terminal = self.show(self.start(FIRST, b"no json"), *SELDOM)
        terminal.wait_for("accounts")
        terminal.press("u")
        terminal.wait_for_end(6, "is broken: ")

    def test_waits_for_a_program_that_does_not_answer(self):
        may_answer = threading.Event()

        def answer_late(connection):
            connection.recv(64)
            may_answer.wait(LIMIT)
            connection.sendall(line(FIRST).replace(b"PID", b"1") + b"\n")
            connection.recv(64)

        self.serve(answer_late)
        terminal = Terminal(self, TOP, os.getpid(), *SELDOM)
        terminal.wait_for("no answer for ", "the program may be stopped")
        may_answer.set()
        terminal.wait_for("2 objects by contentions", without=["no answer"])
        terminal.press("q")
        terminal.wait_for_end(0)

    def test_says_that_it_does_not_know_the_terminal(self):
        terminal = Terminal(self, "env", "TERM=unheard-of", TOP, self.start(FIRST).pid)
        terminal.wait_for_end(1, "TERM=unheard-of")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
