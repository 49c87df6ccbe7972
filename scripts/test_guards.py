#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Breaks what check_sources.py, check_primitives.py, check_decisions.py, check_benchmarks.py and platforms.py
guard, in a copy of the files, and sees that they say so; and what a page becomes when benchmarks are renewed."""

import importlib.machinery
import importlib.util
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
COPIED = ("README.md", "CHANGELOG.md", "CMakeLists.txt", "CMakePresets.json", "CONTRIBUTING.md", "adapters", "bindings", "cmake",
          "docs/benchmarks/results.json", "docs/decisions", "docs/platforms.md", "docs/primitives.md", "examples", "include", "packaging", "scripts", "src", "tests/model", "tests/platforms.json", "tests/unit",
          "tools")
NOT_COPIED = shutil.ignore_patterns("node_modules", "build", "library")


class Guards(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.root = pathlib.Path(folder.name)
        for name in COPIED:
            (cls.root / name).parent.mkdir(parents=True, exist_ok=True)
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, cls.root / name, ignore=NOT_COPIED)
            else:
                shutil.copyfile(ROOT / name, cls.root / name)

    def write(self, path, text=""):
        """Until the end of the test."""
        file = self.root / path
        if file.exists():
            self.addCleanup(file.write_bytes, file.read_bytes())
        else:
            self.addCleanup(file.unlink)
        file.write_text(text, encoding="utf-8")

    def replace(self, path, old, new):
        text = (self.root / path).read_text(encoding="utf-8")
        self.assertIn(old, text)
        self.write(path, text.replace(old, new))

    def append(self, path, text):
        self.write(path, (self.root / path).read_text(encoding="utf-8") + text)

    def said(self, guard, *options):
        command = [sys.executable, f"scripts/{guard}.py", *options]
        done = subprocess.run(command, cwd=self.root, capture_output=True, text=True, check=False)
        self.assertEqual(done.stderr, "")
        self.assertEqual(done.returncode == 0, done.stdout.startswith(("Sources: ", "Primitives: ", "Decisions: ", "Platforms: ", "Benchmarks: ")))
        return done.stdout.splitlines()

    def expect(self, guard, *lines):
        self.assertEqual(self.said(guard), list(lines))

    def expect_first(self, guard, pattern):
        self.assertRegex(self.said(guard)[0], pattern)


class Sources(Guards):
    def test_all_is_well(self):
        self.expect_first("check_sources", "^Sources: ")
        self.expect_first("check_primitives", "^Primitives: ")

    def test_a_source_that_is_in_no_list(self):
        self.write("src/sync/unheard_of.cpp")
        self.expect("check_sources", "src/sources.txt: lacks src/sync/unheard_of.cpp; add the line "
                    "`sync src/sync/unheard_of.cpp`, or with another part that its head explains")

    def test_a_line_without_a_source(self):
        self.append("src/sources.txt", "sync src/sync/unheard_of.cpp\n")
        self.expect_first("check_sources", r"^src/sources.txt:\d+: there is no src/sync/unheard_of.cpp; take this line")

    def test_lines_out_of_order_and_twice(self):
        self.replace("src/sources.txt", "sync src/sync/once.cpp\n", "")
        self.append("src/sources.txt", "sync src/sync/once.cpp\nsync src/sync/once.cpp\n")
        order, twice = self.said("check_sources")
        self.assertRegex(order, r"src/sync/once.cpp comes before src/sync/\w+.cpp: a part is in alphabetical order$")
        self.assertRegex(twice, r"src/sync/once.cpp stands in line \d+ already$")

    def test_a_part_that_is_none(self):
        self.replace("src/sources.txt", "sync src/sync/once.cpp", "snyc src/sync/once.cpp")
        self.expect_first("check_sources", r"there is no part 'snyc'; the parts are thread, seldom, ")

    def test_a_second_list(self):
        self.append("cmake/FutonShared.cmake", "target_sources(futon PRIVATE src/sync/once.cpp)\n")
        self.expect_first("check_sources", r"^cmake/FutonShared.cmake:\d+: names src/sync/once.cpp; the sources "
                          r"stand in src/sources.txt alone")

    def test_a_build_that_does_not_read_the_list(self):
        self.replace("bindings/node/scripts/library.js", "sources.txt", "others.txt")
        self.expect("check_sources", "bindings/node/scripts/library.js: does not read src/sources.txt")


class Primitives(Guards):
    def test_a_new_header_is_told_all_that_it_needs(self):
        self.write("include/futon/sync/unheard_of.hpp")
        self.write("src/sync/unheard_of.cpp")
        self.expect("check_primitives",
                    "src/sources.txt: lacks `sync src/sync/unheard_of.cpp`",
                    "include/futon/futon.hpp: lacks `#include <futon/sync/unheard_of.hpp>`",
                    "tests/unit/unheard_of_test.cpp: is missing; UnheardOf needs it",
                    "tests/model/unheard_of_test.cpp: is missing; UnheardOf needs it",
                    "examples/NN_unheard_of.cpp: is missing; UnheardOf needs it",
                    "tools/gdb/futon_gdb/kinds.py: lacks `UnheardOf`",
                    "docs/primitives.md: no row of \"Which one\" has [`UnheardOf`](#…), a link to the part that "
                    "describes it",
                    "CHANGELOG.md: lacks `UnheardOf`")

    def test_a_template_alone_needs_no_source(self):
        self.write("include/futon/sync/unheard_of.hpp")
        self.assertFalse([line for line in self.said("check_primitives") if line.startswith("src/")])

    def test_a_part_that_does_not_name_the_primitive(self):
        self.replace("docs/primitives.md", "(#what-a-lock-protects-has-changed-condition)", "(#items-channel)")
        self.expect("check_primitives", "docs/primitives.md: the part #items-channel does not name Condition")

    def test_a_shared_file_that_forgets_one(self):
        self.replace("tests/model/event_test.cpp", "AutoResetEvent", "ManualEvent")
        self.expect("check_primitives", "tests/model/event_test.cpp: does not name AutoResetEvent, which has no "
                    "tests/model/auto_reset_event_test.cpp of its own")

    def test_a_shared_file_that_is_shared_no_more(self):
        self.write("tests/model/lazy_test.cpp")
        self.expect("check_primitives", "tests/model/lazy_test.cpp: is there; take it out of SHARED in "
                    "scripts/check_primitives.py")

    def test_a_header_for_users_that_futon_hpp_lacks(self):
        self.replace("include/futon/futon.hpp", "#include <futon/sleep.hpp>\n", "")
        self.expect("check_primitives", "include/futon/futon.hpp: lacks `#include <futon/sleep.hpp>`")

    def test_another_list(self):
        self.append("bindings/node/CMakeLists.txt", "set(headers futon/sync/barrier.hpp)\n")
        self.expect_first("check_primitives", r"^bindings/node/CMakeLists.txt:\d+: names sync/barrier: read it in a ")

    def test_a_table_that_is_gone(self):
        self.replace("CONTRIBUTING.md", "## A new primitive: these files", "## Primitives")
        self.expect_first("check_primitives", r"^CONTRIBUTING.md: has no table under ")

    def test_a_decision_without_a_status(self):
        self.expect_first("check_decisions", "^Decisions: each of ")
        self.replace("docs/decisions/0004-promises-belong-to-one-thread.md", "**Status.** In force", "**Status.** Fine")
        self.expect_first("check_decisions", r"^0004-promises-belong-to-one-thread\.md: begins with its title, and then ")

    def test_a_decision_that_the_index_lacks(self):
        self.replace("docs/decisions/README.md", "(0004-promises-belong-to-one-thread.md)", "(elsewhere.md)")
        self.expect_first("check_decisions", r"^README\.md: wants a line \[4\. .* under In force, and no other")


class Benchmarks(Guards):
    def git(self, *arguments):
        command = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false", *arguments]
        return subprocess.run(command, cwd=self.root, capture_output=True, text=True, check=True).stdout.strip()

    def change(self, times, path):
        for i in range(times):
            (self.root / path).write_text(f"// {i} of {times}\n", encoding="utf-8")
            self.git("add", path)
            self.git("commit", "-qm", "change")

    def test_a_question_that_is_measured_again(self):
        loader = importlib.machinery.SourceFileLoader("bench_run", str(ROOT / "bench/run"))
        runs = importlib.util.module_from_spec(importlib.util.spec_from_loader("bench_run", loader))
        loader.exec_module(runs)

        def record(question, measure, who, ns):
            return {"question": question, "measure": measure, "who": who, "ns": ns}

        page = {"machine": {"commit": "a"}, "versions": {"glibc": "1"},
                "records": [record("05_one", "lock", "futon", 1), record("05_two", "lock", "tbb", 2), record("07_three", "wait", "futon", 3),
                            record("", "wait", "V8", 4), record("", "channel", "Go", 5)]}
        fresh = {"machine": {"commit": "b"}, "versions": {"Go": "2"},
                 "records": [record("05_one", "lock", "futon", 6), record("05_two", "lock", "tbb", 7), record("", "channel", "Go", 8)]}

        both = runs.renewed(page, fresh, [5])

        self.assertEqual(sorted(r["ns"] for r in both["records"]), [3, 4, 6, 7, 8])
        self.assertEqual(both["machine"], {"commit": "a"})
        self.assertEqual(both["renewed"], {"5": {"commit": "b"}})
        self.assertEqual(both["versions"], {"glibc": "1", "Go": "2"})

    def test_the_age_of_the_figures(self):
        path, results = "docs/benchmarks/results.json", json.loads((ROOT / "docs/benchmarks/results.json").read_text(encoding="utf-8"))
        self.git("init", "-q")
        self.addCleanup(shutil.rmtree, self.root / ".git")
        results["machine"]["commit"] = "0123456789ab"
        self.write(path, json.dumps(results))
        self.change(1, "src/unheard_of.cpp")
        self.addCleanup((self.root / "src/unheard_of.cpp").unlink)
        self.expect_first("check_benchmarks", "is of commit '0123456789ab', which this history does not have")

        results["machine"]["commit"] = self.git("rev-parse", "HEAD")
        self.write(path, json.dumps(results))
        self.change(100, "src/unheard_of.cpp")
        self.change(1, "src/platform/windows/unheard_of.cpp")  # is not measured
        self.addCleanup((self.root / "src/platform/windows/unheard_of.cpp").unlink)
        self.expect("check_benchmarks", "Benchmarks: their figures are of today's code")

        self.change(1, "src/unheard_of.cpp")
        self.expect_first("check_benchmarks", "101 commits have changed what it measures")


class Platforms(Guards):
    def test_all_is_well(self):
        self.assertRegex(self.said("platforms", "--check")[0], "^Platforms: ")

    def test_a_table_that_was_written_by_hand(self):
        self.replace("docs/platforms.md", "| failed |", "| defects |")
        self.assertEqual(self.said("platforms", "--check"),
                         ["docs/platforms.md: its table is not what the records say; run scripts/platforms.py"])
        self.replace("README.md", "| failed |", "| defects |")
        self.assertIn("README.md: its table is not what the records say; run scripts/platforms.py", self.said("platforms", "--check"))

    def test_a_record_of_no_preset(self):
        self.write("tests/platforms.json", '{"amiga": {}}')
        self.assertEqual(self.said("platforms", "--check")[0], "tests/platforms.json: there is no test preset 'amiga'")

    def test_a_place_that_is_gone(self):
        self.replace("docs/platforms.md", "<!-- end of the table -->", "")
        self.assertRegex(self.said("platforms", "--check")[0], r"^docs/platforms\.md: has no place for the table")


if __name__ == "__main__":
    unittest.main()
