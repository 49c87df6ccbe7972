#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What futon top prints, and how it ends, without a terminal."""

import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import unittest

from session import COMMAND, LIMIT, TOP, Test, line, lock, snapshot


class Command(Test):
    def run_top(self, *words, command=(TOP,), **options):
        environment = options.pop("env", self.environment)
        return subprocess.run([*command, *map(str, words)], capture_output=True, timeout=LIMIT, check=False,
                              stdin=subprocess.DEVNULL, env=environment, **options)

    def expect_problem(self, status, *parts, done):
        error = done.stderr.decode()
        self.assertEqual(done.returncode, status, error)
        self.assertEqual(done.stdout, b"")
        self.assertEqual(error.count("\n"), 1, error)
        for part in ("futon top: ", *parts):
            self.assertIn(part, error)

    def test_json_prints_one_snapshot_whole(self):
        for command in (TOP,), (COMMAND, "top"):
            program = self.start(snapshot(5, [lock("Käse", 1)], unknown=[1.5, None]), snapshot(6, []))
            done = self.run_top(program.pid, "--json", "--filter", "none", command=command)

            self.assertEqual((done.returncode, done.stderr), (0, b""))
            expected = {**snapshot(5, [lock("Käse", 1)], unknown=[1.5, None]), "pid": program.pid}
            self.assertEqual(json.loads(done.stdout), expected)
            self.assertEqual(list(json.loads(done.stdout)), list(expected))
            self.assertIn(b'\n  "program": "bank",\n', done.stdout)

    def test_finds_a_program_without_a_runtime_folder(self):
        environment = {name: value for name, value in self.environment.items() if name != "XDG_RUNTIME_DIR"}
        program = self.start(snapshot(5, []), environment=environment)
        self.assertTrue(pathlib.Path(f"/tmp/futon-{os.geteuid()}/{program.pid}.sock").is_socket())

        self.assertEqual(self.run_top(program.pid, "--json").returncode, 0)

    def test_finds_a_program_with_another_runtime_folder(self):
        program = self.start(snapshot(5, []))

        done = self.run_top(program.pid, "--json", env={**self.environment, "XDG_RUNTIME_DIR": "/none"})

        self.assertEqual(done.returncode, 0, done.stderr)

    def test_help_and_version_are_no_errors(self):
        self.assertIn(b"FUTON_DIAGNOSTICS_SERVE=1", self.run_top("--help").stdout)
        self.assertRegex(self.run_top("--version").stdout.decode(), r"^futon \d+\.\d+\.\d+\n$")
        self.assertIn(b"top", self.run_top("--help", command=(COMMAND,)).stdout)

    def test_says_what_is_wrong_with_its_arguments(self):
        for words, said in (([], "PID is required"), (["x"], "'x' is not the number of a process"),
                            (["-1"], "is not the number"), (["1", "--sort", "x"], "none of contended, waiters, wait, hold"),
                            (["1", "--interval", "0"], "not a number of seconds"), (["1", "2"], "2")):
            done = self.run_top(*words)
            self.assertEqual((done.returncode, done.stdout), (2, b""))
            self.assertIn(said, done.stderr.decode())
        self.assertEqual(self.run_top(command=(COMMAND,)).returncode, 2)

    def test_says_that_there_is_no_such_process(self):
        ended = subprocess.Popen(["true"])
        ended.wait(LIMIT)
        self.expect_problem(3, f"there is no process {ended.pid}", done=self.run_top(ended.pid))

    def test_says_that_a_process_has_ended_that_its_parent_has_not_seen(self):
        ended = subprocess.Popen(["true"], stdout=subprocess.PIPE)
        ended.stdout.read()
        os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)
        self.expect_problem(3, f"({ended.pid}) has ended", done=self.run_top(ended.pid))
        ended.wait(LIMIT)
        ended.stdout.close()

    def test_says_that_a_number_is_a_thread(self):
        end = threading.Event()
        thread = threading.Thread(target=end.wait)
        thread.start()
        self.expect_problem(3, f"is a thread of the process {os.getpid()}", done=self.run_top(thread.native_id))
        end.set()
        thread.join()

    def test_says_that_a_process_is_another_users(self):
        if os.geteuid() != 0:
            self.expect_problem(4, "belongs to the user with the number 0", done=self.run_top(1))
            return
        with tempfile.TemporaryDirectory(dir="/tmp") as folder:  # the build's folder may be root's alone
            os.chmod(folder, 0o755)
            done = self.run_top(os.getpid(), command=(shutil.copy(TOP, folder),), user=65534, group=65534)
        self.expect_problem(4, "belongs to the user with the number 0", "that user only", done=done)

    def test_says_how_a_program_offers_its_diagnostics(self):
        for words in [], ["--json"]:
            self.expect_problem(5, "does not offer", "futon::diagnostics::serve()", "FUTON_DIAGNOSTICS_SERVE=1",
                                done=self.run_top(os.getpid(), *words))

    def test_says_so_of_a_socket_at_which_no_server_listens(self):
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(self.runtime / f"futon-{os.getpid()}.sock"))
            self.expect_problem(5, "does not offer", done=self.run_top(os.getpid()))

    def test_says_what_is_wrong_with_an_answer(self):
        good = snapshot(5, [lock("a", 1)])
        for answer, said in ((b"no json", "syntax error"), (b"", "syntax error"), (b"[1]", "it is not an object"),
                             (b"{}", "it has no pid"), ({**good, "objects": 3}, "objects is not an array"),
                             ({**good, "program": 3}, "program is not a string"),
                             ({**good, "objects": [3]}, "objects is not an object"), (line(good)[:-1], "unexpected end"),
                             ({**good, "objects": [{"profile": {"wait_ns": {"p50": "x"}}}]},
                              "objects.profile.wait_ns.p50 is not a number"),
                             (b'{"program": "\xff"}', "ill-formed UTF-8")):
            program = self.start(answer)
            self.expect_problem(6, "is broken: ", said, done=self.run_top(program.pid, "--json"))

    def test_says_what_the_program_has_to_say_and_obeys_none_of_it(self):
        program = self.start({"error": "the snapshot failed\x1b[2J"})
        self.expect_problem(1, "answers: the snapshot failed?[2J", done=self.run_top(program.pid, "--json"))

    def test_says_that_the_connection_was_closed_before_the_answer(self):
        def answer_half(connection):
            connection.recv(64)
            connection.sendall(line(snapshot(5, []))[:30])

        self.serve(answer_half)
        self.expect_problem(6, "has closed the connection", done=self.run_top(os.getpid(), "--json"))

    def test_says_that_there_is_no_answer(self):
        self.serve(lambda connection: connection.recv(64) and connection.recv(64))
        self.expect_problem(5, "does not answer", done=self.run_top(os.getpid(), "--json", "--timeout", "0.2"))

    def test_the_view_needs_a_terminal(self):
        program = self.start(snapshot(5, []))
        self.expect_problem(1, "needs a terminal", "--json", done=self.run_top(program.pid))

    def test_says_that_its_output_cannot_be_written(self):
        program = self.start(snapshot(5, []))
        with open("/dev/full", "wb") as full:
            done = subprocess.run([TOP, str(program.pid), "--json"], stdout=full, stderr=subprocess.PIPE, timeout=LIMIT,
                                  check=False, env=self.environment)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"could not be written", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
