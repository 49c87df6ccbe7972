# SPDX-License-Identifier: MIT
"""Programs whose diagnostics are written by a test, and a terminal in which futon top shows them."""

import contextlib
import json
import os
import pathlib
import shlex
import shutil
import socket
import subprocess
import tempfile
import threading
import time
import unittest

TOP = os.environ["FUTON_TOP"]
COMMAND = os.environ["FUTON_COMMAND"]
FAKE_PROGRAM = os.environ["FUTON_FAKE_PROGRAM"]
LIMIT = 60  # seconds: of what hangs if it does not come


def snapshot(seconds, objects, **others):
    """A program's snapshot; PID stands for its number."""
    return {"futon": "0.9.0", "pid": "PID", "program": "bank", "time_ns": seconds * 10**9,
            "threads": [{"id": "t1", "number": 4712, "name": "teller"}],
            "loops": [{"id": "l1", "name": "main", "thread": "t1", "delay_ns": 120000, "longest_delay_ns": 4000000}],
            "tasks": [{"id": "c5", "loop": "l1"}], "objects": objects, **others}


def lock(name, contended, address="0x7ffe0010", holders=(), waiters=()):
    times = {"count": contended, "p50": 1200, "p99": 90000, "max": 120000}
    return {"address": address, "kind": "AsyncLock", "name": name, "holders": list(holders), "waiters": list(waiters),
            "profile": {"acquisitions": 10 * contended, "contended": contended, "handoffs": 3, "barged": 5,
                        "offers_expired": 0, "wait_ns": times, "hold_ns": times}}


def line(document):
    return document if isinstance(document, bytes) else json.dumps(document).replace('"PID"', "PID").encode()


class Test(unittest.TestCase):
    """With a folder of its own, which is the user's runtime folder."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="futon-top-", dir="/tmp"))  # sockets have short paths
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.runtime = self.folder / "run"
        self.runtime.mkdir(mode=0o700)
        self.environment = {**os.environ, "XDG_RUNTIME_DIR": str(self.runtime), "LC_ALL": "C.UTF-8"}

    def start(self, *answers, environment=None):
        """Starts a program that answers with these, one after the other; returns it once it serves."""
        file = self.folder / "answers"
        file.write_bytes(b"".join(line(answer) + b"\n" for answer in answers))
        program = subprocess.Popen([FAKE_PROGRAM, file], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   env=environment or self.environment)
        self.addCleanup(self.end, program)
        self.assertEqual(program.stdout.readline().decode().strip(), str(program.pid))
        return program

    @staticmethod
    def end(program):
        with contextlib.suppress(BrokenPipeError):
            program.stdin.close()
        program.wait(LIMIT)
        program.stdout.close()

    def serve(self, serve_client):
        """Has `serve_client(connection)` called for a client of this process itself."""
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(self.runtime / f"futon-{os.getpid()}.sock"))
        listener.listen()

        def run():
            connection, _ = listener.accept()
            with connection:
                serve_client(connection)

        thread = threading.Thread(target=run)
        thread.start()
        self.addCleanup(listener.close)
        self.addCleanup(thread.join, LIMIT)


class Terminal:
    """A terminal of tmux's, in which a shell runs a command and then says its status."""

    def __init__(self, test, *command, columns=80, lines=24, environment=None):
        self.socket = test.folder / "tmux"
        self.pid_file = test.folder / "pid"
        words = " ".join(map(shlex.quote, map(str, command)))
        script = f"stty -g >{test.folder}/before; (echo $BASHPID >{self.pid_file}; exec {words}); " \
                 f"echo status $?; stty -g >{test.folder}/after; echo over; read line"
        self.test = test
        test.addCleanup(self.close)
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", columns, "-y", lines, "bash", "-c", script,
                  env={**test.environment, **(environment or {})})

    def tmux(self, *words, check=True, env=None):
        return subprocess.run(["tmux", "-S", self.socket, *map(str, words)], capture_output=True, text=True, check=check,
                              timeout=LIMIT, env=env or self.test.environment).stdout

    def close(self):
        """Ends the command while it has its terminal. Of one that ends for want of it, a leak checker may wait for ever."""
        self.tmux("send-keys", "C-c", check=False)
        deadline = time.monotonic() + LIMIT
        while self.is_running() and time.monotonic() < deadline:
            time.sleep(0.02)
        self.tmux("kill-server", check=False)

    def is_running(self):
        number = self.pid_file.read_text().strip() if self.pid_file.exists() else ""
        return number != "" and pathlib.Path(f"/proc/{number}").exists()

    def screen(self):
        return self.tmux("capture-pane", "-p")

    def press(self, *keys):
        self.tmux("send-keys", *keys)

    def resize(self, columns, lines):
        self.tmux("resize-window", "-x", columns, "-y", lines)

    def wait_for(self, *texts, without=()):
        """Waits until the screen shows all of these, and none of the others; returns it."""
        deadline = time.monotonic() + LIMIT
        while True:
            screen = self.screen()
            if all(text in screen for text in texts) and not any(text in screen for text in without):
                return screen
            if time.monotonic() > deadline:
                self.test.fail(f"the screen does not show {texts} without {without}, but:\n{screen}")
            time.sleep(0.02)

    def pid(self):
        return int(self.pid_file.read_text())

    def wait_for_end(self, status, *texts):
        """That the command ends so, and leaves the terminal as it was."""
        screen = self.wait_for(f"status {status}\n", "over\n", *texts)
        self.test.assertNotIn("q quit", screen)
        self.test.assertEqual((self.test.folder / "before").read_text(), (self.test.folder / "after").read_text())
        return screen
