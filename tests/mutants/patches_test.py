#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of the patches: where they apply, what they make, and what they say where they do not."""

import textwrap
import unittest

import mutants
from patches import DoesNotApply, Patch
from sources import Library, Source

QUEUE = """
namespace futon::tables {  // a comment { with a brace

class Shard::Guard final : public Base<int> {
public:
    Guard(Bucket& bucket, int hash) noexcept : bucket_(bucket), before_{hash} {
        if (hash != 0) fence();  // [announce]
    }
    bool operator()(int value) const { return value < 3; }

private:
    Bucket& bucket_;
    int before_ = 0;
};

const Rules Guard::rules = {
    .can_serve = [](int state) { return state == 0; },
};

std::size_t Shard::take(Taking& taking) noexcept {
    std::size_t length = 0;
    do {
        length += 1;
    } while (length < taking.count && !taking.is_over(length, {1, 2}));
    check(taking, length);
    return length;
}

}  // namespace
"""


def library(**texts):
    result = Library.__new__(Library)
    result.sources = [Source(f"src/{name}.cpp", text) for name, text in texts.items()]
    return result


def patch(symbol, lines, room=""):
    return Patch(symbol, room, textwrap.dedent(lines).strip("\n").split("\n"))


def tokens(text):
    return Source("", text).tokens


class Symbols(unittest.TestCase):
    def names(self, text):
        return [symbol.name for symbol in Source("file.cpp", text).symbols]

    def test_are_found_with_the_scopes_around_them(self):
        scope = "futon::tables::"
        self.assertEqual(self.names(QUEUE), ["futon::tables"] + [scope + name for name in (
            "Shard::Guard", "Shard::Guard::Guard", "Shard::Guard::operator()", "Guard::rules", "Shard::take")])

    def test_have_their_heads_and_their_ends(self):
        source = Source("file.cpp", QUEUE)
        take = next(symbol for symbol in source.symbols if symbol.is_called("Shard::take"))
        self.assertEqual(source.tokens[take.begin:take.begin + 3], ["std", "::", "size_t"])
        self.assertEqual(source.tokens[take.end - 3:take.end], ["length", ";", "}"])

    def test_of_templates_are_called_without_arguments(self):
        for text, names in (("template <class T, class U = X<int>>\nvoid A<T>::f(T) requires(B<T>) {}", ["A::f"]),
                            ("template <> struct A<int, B<char>> : C { enum class D : char { e }; };", ["A", "A::D"])):
            self.assertEqual(self.names(text), names)

    def test_are_not_what_is_within_a_function(self):
        self.assertEqual(self.names("int f() { if (x) { g([] { return 1; }); } struct S { int m() { return 2; } }; }"),
                         ["f", "f::S", "f::S::m"])

    def test_are_not_hidden_by_directives(self):
        self.assertEqual(self.names('#include <a>\n#define X(y) \\\n    y\nextern "C" {\nint f() {}\n}\n'), ["f"])

    def test_are_called_by_their_last_parts(self):
        guard = next(symbol for symbol in Source("file.cpp", QUEUE).symbols if symbol.name.endswith("Shard::Guard"))
        self.assertTrue(guard.is_called("Guard"))
        self.assertTrue(guard.is_called("tables::Shard::Guard"))
        self.assertFalse(guard.is_called("ard"))

    def test_brackets_that_do_not_match_are_named(self):
        with self.assertRaisesRegex(ValueError, r"file.cpp:2: `\)` closes nothing"):
            Source("file.cpp", "int f() {\n)}")


class Patches(unittest.TestCase):
    def changed(self, symbol, lines):
        file, text = patch(symbol, lines).apply(library(queue=QUEUE))
        self.assertEqual(file, "src/queue.cpp")
        return text

    def assert_turns(self, symbol, lines, old, new):
        self.assertEqual(QUEUE.count(old), 1)
        self.assertEqual(tokens(self.changed(symbol, lines)), tokens(QUEUE.replace(old, new)))

    def test_replace_tokens_and_leave_all_others(self):
        self.assert_turns("Shard::take", """
            - $length < $taking.count
            + $length <= $taking.count
            """, "length < taking.count", "length <= taking.count")

    def test_do_not_see_white_space_and_comments(self):
        self.assert_turns("Guard::Guard", "- if (hash != 0)\n- fence();", "if (hash != 0) fence();", "")

    def test_put_in_beside_what_stays(self):
        self.assert_turns("Shard::take", """
              do {
            + first();
              $length += 1;
            + second($length);
            """, "length += 1;", "first(); length += 1; second(length);")

    def test_swap(self):
        self.assert_turns("Shard::take", """
            - $length += 1;
              } while (...);
            + $length += 1;
            """, """length += 1;
    } while (length < taking.count && !taking.is_over(length, {1, 2}));""",
                          "} while (length < taking.count && !taking.is_over(length, {1, 2})); length += 1;")

    def test_run_takes_balanced_brackets(self):
        self.assert_turns("Shard::take", "- check(...);\n+ ;", "check(taking, length);", ";")
        self.assert_turns("Shard::take", "  while (\n- ...\n+ true\n  );",
                          "length < taking.count && !taking.is_over(length, {1, 2})", "true")

    def test_variable_is_one_name_everywhere(self):
        with self.assertRaises(DoesNotApply):
            self.changed("Shard::take", "- $x < $x.count")
        with self.assertRaises(DoesNotApply):  # a keyword is no name
            self.changed("Shard::take", "- $x $y;")

    def test_leave_the_comments_around_them(self):
        self.assertIn("// [announce]", self.changed("Guard::Guard", "- fence();\n+ nothing();"))

    def test_follow_a_symbol_to_another_file(self):
        text = "\nint unrelated() { return 0; }\n"
        file, _ = patch("Shard::take", "- check(...);").apply(library(other=text, moved=QUEUE))
        self.assertEqual(file, "src/moved.cpp")

    def test_stand_in_a_file_without_a_symbol(self):
        one = patch("", "- 1\n+ 2", room="two.cpp").apply(library(one="#define X 1\n", two="#define X 1\n"))
        self.assertEqual((one[0], tokens(one[1])), ("src/two.cpp", tokens("#define X 2")))

    def test_that_make_no_sense_are_refused(self):
        for lines, why in ((" a", "nothing is changed"), ("- a\n+ $b", "not matched"), ("- ...", "begins and ends")):
            with self.assertRaisesRegex(ValueError, why):
                patch("f", lines)


class Messages(unittest.TestCase):
    def why(self, symbol, lines, **texts):
        with self.assertRaises(DoesNotApply) as caught:
            patch(symbol, lines).apply(library(**(texts or {"queue": QUEUE})))
        return str(caught.exception)

    def test_name_the_nearest_place_and_what_differs(self):
        why = self.why("Shard::take", "- check($taking, $length, 0);")
        self.assertIn("in Shard::take", why)
        self.assertIn("    check($taking, $length, 0);\n", why)
        self.assertIn("src/queue.cpp:25: check(taking, length);", why)
        self.assertIn("`,` is wanted, but there is `)` in line 25", why)

    def test_name_all_places_of_too_many(self):
        why = self.why("Shard::take", "- return 1;", queue="int Shard::take() {\n  if (x) return 1;\n  return 1;\n}")
        self.assertIn("2 times", why)
        self.assertIn("src/queue.cpp:2: if (x) return 1;", why)
        self.assertIn("src/queue.cpp:3: return 1;", why)

    def test_name_the_symbols_that_are_called_almost_so(self):
        why = self.why("Part::take", "- check($taking, $length);")
        self.assertIn("nothing is called so; near: futon::tables::Shard::take", why)
        self.assertIn("stands elsewhere:\n    src/queue.cpp:25: futon::tables::Shard::take: check(taking", why)

    def test_name_the_symbol_to_which_the_code_has_moved(self):
        why = self.why("Guard::Guard", "- check($x, $y);")
        self.assertIn("src/queue.cpp:25: futon::tables::Shard::take: check", why)


class Files(unittest.TestCase):
    TEXT = """# a comment
[fifo] takes one more
    in Shard::take of tables
      a
    - b
    + c
    model, sanitized: ModelQueue.*

[bell] rings
    in platform/linux/
    - d
    unit, hangs: Bell.*
"""

    def test_are_read(self):
        one, two = mutants.read(self.TEXT, "x.mutants")
        self.assertEqual((one.name, one.line, one.lane, one.by, one.is_sanitized, one.hangs),
                         ("[fifo] takes one more", "x.mutants:2", "model", "ModelQueue.*", True, False))
        self.assertEqual((one.patch.place, one.patch.wanted), ("Shard::take of tables", ["a", "b"]))
        self.assertEqual((two.patch.place, two.lane, two.hangs), ("platform/linux", "unit", True))

    def test_that_are_malformed_are_refused_by_line(self):
        for text, why in ((self.TEXT.replace("model,", "modal,"), "x.mutants:7: neither"),
                          (self.TEXT.replace("    in Shard::take of tables\n", ""), "x.mutants:2: a mutant has one"),
                          (self.TEXT.replace("    - b\n    + c\n", ""), "x.mutants:2: nothing is changed"),
                          (self.TEXT.replace("[bell]", "bell"), "x.mutants:9: `.tag. the bug` is expected")):
            with self.assertRaisesRegex(mutants.Malformed, why):
                list(mutants.read(text, "x.mutants"))


if __name__ == "__main__":
    unittest.main()
