# SPDX-License-Identifier: MIT
"""Where something is broken: copies of the sources, what is built of them, and what the tests say."""

import dataclasses
import fnmatch
import functools
import os
import pathlib
import re
import shutil
import signal
import subprocess
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORK = ROOT / "build" / "mutants"
MODEL_PROGRAMS = {"ModelFutex": "futon_model_futex_tests", "ModelSpinning": "futon_model_spin_tests",
                  "ModelWindows": "futon_windows_model_tests"}  # not of one file
# How long the tests of a mutant may take. Those of the others take some seconds at most if nothing is broken; one
# that is expected to hang takes less than one.
SECONDS = {"model": 240, "unit": 60, "diagnostics": 60, "lines": 60}
HANG_SECONDS = 10
OPTIONS = {  # precompiled headers would hold those that are broken
    "model": ["-DFUTON_MODEL=ON", "-DCMAKE_BUILD_TYPE=Release"],
    "unit": ["-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O1", "-DFUTON_CHECKED=ON"],
}
OPTIONS["diagnostics"] = OPTIONS["lines"] = OPTIONS["unit"]
FLAGS = {
    "plain": "-w",
    "sanitized": "-w -fsanitize=address -fno-omit-frame-pointer",  # a touch of what is gone does not go unnoticed
}


class Problem(Exception):
    """Why nothing can be said of a mutant."""


class DoesNotBuild(Problem):
    """The compiler refuses what is broken."""


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What came of the tests of one mutant."""
    kind: str  # caught, hangs, times out, survives, does not build
    test: str = ""
    schedules: str = ""
    reason: str = ""


@dataclasses.dataclass(frozen=True)
class Job:
    """A file with something broken in it, and the tests that shall notice. No text: nothing is broken, and none may
    fail."""
    name: str
    lane: str
    kind: str  # plain, sanitized
    pattern: str
    file: str = ""
    text: str = ""
    hangs: bool = False

    @property
    def build(self):
        return f"{self.lane}-{self.kind}"

    @property
    def is_nothing(self):
        return not self.file


FOLDERS = {"model": ["model"], "unit": ["unit", "conformance"], "diagnostics": ["diagnostics"], "lines": ["lines"]}  # of tests
LIBRARY = {"model": "futon_explorer", "unit": "futon", "diagnostics": "futon_diagnostics", "lines": "futon_lines"}
building_library = threading.Lock()


class Workshop:
    """A copy of the sources, and what is built of it. One worker uses it at a time."""

    def __init__(self, folder):
        self.folder = folder
        self.source = folder / "source"
        self.prepared = set()
        self.has_built = set()  # pairs of a build and a program of it, in this run
        self.build_seconds = 0.0
        self._copy_sources()

    def _copy_sources(self):
        """What the tests are built from. Files that have not changed keep their times."""
        for part in ("CMakeLists.txt", "cmake", "packaging", "include", "src", "tests", "tools", "README.md",
                     "examples/fair_semaphore.hpp"):
            source, target = ROOT / part, self.source / part
            files = [source] if source.is_file() else [p for p in source.rglob("*") if p.is_file()]
            for file in files:
                copy = self.source / file.relative_to(ROOT)
                if not copy.exists() or copy.read_bytes() != file.read_bytes():
                    copy.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(file, copy)
            for copy in target.rglob("*") if target.is_dir() else []:
                if copy.is_file() and not (ROOT / copy.relative_to(self.source)).exists():
                    copy.unlink()
        (self.source / "examples").mkdir(exist_ok=True)
        (self.source / "examples" / "CMakeLists.txt").write_text("")

    def attempt(self, job):
        build = self._prepare(job)
        if job.is_nothing:
            return self._build_and_run(build, job)
        target = self.source / job.file
        original = target.read_text()
        target.write_text(job.text)
        try:
            return self._build_and_run(build, job)
        finally:
            target.write_text(original)

    def _prepare(self, job):
        """The folder of a build in which nothing is broken yet. Its library is built by one workshop after the other,
        with all processors, for the next finds all of it in the compiler cache."""
        build = self.folder / job.build
        if job.build not in self.prepared:
            with building_library:
                if not (build / "build.ninja").exists():
                    self._call(["cmake", "-S", self.source, "-B", build, "-G", "Ninja", "-DFUTON_DEVELOP=ON",
                                "-DFUTON_PROGRAM_PER_TEST_FILE=ON", "-DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON",
                                *OPTIONS[job.lane], f"-DCMAKE_CXX_FLAGS={FLAGS[job.kind]}"])
                self._call(["ninja", "-C", build, LIBRARY[job.lane]])
            self.prepared.add(job.build)
        return build

    def _build_and_run(self, build, job):
        """One program after the other, until a test fails: a header that is broken is included by all."""
        for program in programs_of(job.lane, job.pattern):
            self._call(["ninja", "-C", build, "-j1", program])
            self.has_built.add((job.build, program))
            outcome = run_tests(build / "tests" / program, job)
            if outcome.kind != "survives":
                return outcome
        return Outcome("survives")

    def _call(self, command):
        # The workshops hold the same files: what one has compiled, the others find in the compiler cache.
        environment = os.environ | {"CCACHE_BASEDIR": str(WORK), "CCACHE_NOHASHDIR": "1",
                                    "CCACHE_SLOPPINESS": "pch_defines,time_macros"}
        begin = time.monotonic()
        result = subprocess.run(command, capture_output=True, text=True, env=environment)
        self.build_seconds += time.monotonic() - begin
        if result.returncode != 0:
            raise DoesNotBuild("does not build:\n" + result.stdout[-4000:] + result.stderr[-2000:])


@functools.cache
def test_names(folder):
    """Of each file in a folder of tests the names of its tests."""
    files = sorted((ROOT / "tests" / folder).glob("*_test.cpp"))
    return {file.stem: [f"{suite}.{name}" for suite, name in re.findall(
        r"^(?:TEST|TEST_F|TEST_P|TYPED_TEST)\((\w+), (\w+)\)", file.read_text(), re.MULTILINE)] for file in files}


@functools.cache
def programs_of(lane, pattern):
    """The programs that have the tests: one for each file, found by the names in it."""
    found = []
    for part in pattern.split(":"):
        special = [program for prefix, program in MODEL_PROGRAMS.items() if part.startswith(prefix)]
        named = special or [f"futon_{folder}_{file}" for folder in FOLDERS[lane]
                            for file, names in test_names(folder).items()
                            if fnmatch.filter(names, part.removeprefix("*/").removesuffix("/*").replace("/*.", "."))]
        if not named:
            raise Problem(f"no test is called {part}")
        found += [program for program in named if program not in found]
    return found


def run_tests(program, job):
    """Which test failed first, after how many schedules, and why."""
    command = [program, f"--gtest_filter={job.pattern}", "--gtest_fail_fast"]
    listed = subprocess.run([*command, "--gtest_list_tests"], capture_output=True, text=True)
    if "\n  " not in listed.stdout:
        raise Problem(f"no test is called {job.pattern}")
    seconds = HANG_SECONDS if job.hangs else SECONDS[job.lane]
    environment = os.environ | {"FUTON_TEST_DEPTH": "deep"}
    started = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
                               env=environment, start_new_session=True)  # so that children of the tests end with it
    try:
        stdout, stderr = started.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(started.pid, signal.SIGKILL)
        stdout, _ = started.communicate()
        kind = "hangs" if job.hangs else "times out"
        return Outcome(kind, failed_test(stdout), "", f"does not end within {seconds} s")
    if started.returncode == 0:
        return Outcome("survives")
    schedules = re.findall(r": (\d+) schedules", stdout.split("[ RUN ")[-1])
    return Outcome("caught", failed_test(stdout), schedules[-1] if schedules else "",
                   reason_of(stdout, stderr, started.returncode))


def failed_test(stdout):
    """The first that failed; the last that ran, if none says so."""
    tests = re.findall(r"\[  FAILED  \] (\S+)", stdout)[:1] or re.findall(r"\[ RUN +\] (\S+)", stdout)[-1:]
    return tests[0].rstrip(",") if tests else ""


def reason_of(stdout, stderr, code):
    address = re.search(r"AddressSanitizer: (\S+)", stderr)
    if address:
        return address[1]
    failure = re.search(r": Failure\n((?:(?!\[|.*: Failure$).+\n)+)", stdout, re.MULTILINE)  # of gtest
    if failure:
        return re.sub(r"\s+", " ", failure[1]).strip()[:100]
    said = stderr.strip().splitlines()
    if said:
        return said[-1].split(": ", 1)[-1]
    return signal.Signals(-code).name if code < 0 else f"exit code {code}"
