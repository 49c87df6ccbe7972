# SPDX-License-Identifier: MIT
"""C++ sources as tokens, without white space and comments, and the symbols that are defined in them: namespaces,
classes, functions and variables with braces. No parser: it knows as much of C++ as it takes to find where a symbol
begins and ends."""

import bisect
import dataclasses
import functools
import pathlib
import re

TOKEN = re.compile(r"""
    (?P<blank> \s+ | \\\n | //[^\n]* | /\*.*?\*/ )
  | (?P<string> (?:u8|[uUL])?R"(?P<end>[^(\s]*)\(.*?\)(?P=end)" | (?:u8|[uUL])?"(?:[^"\\\n]|\\.)*"
              | '(?:[^'\\\n]|\\.)+' )
  | (?P<number> \.?\d(?:[eEpP][+-]|'?[\w.])* )
  | (?P<name> \$?[A-Za-z_]\w* )
  | \.\.\. | ->\*? | :: | <=> | <<=? | >>= | \+\+ | -- | && | \|\| | \#\# | [-+*/%&|^!=<>]= | .
""", re.VERBOSE | re.DOTALL)  # no `>>`, for that may end two lists of template arguments
OPENING, CLOSING = {"(": ")", "[": "]", "{": "}"}, {")", "]", "}"}
NAME = re.compile(r"[A-Za-z_]\w*")
KEYWORDS = frozenset("""
    alignas alignof auto bool break case catch char class co_await co_return co_yield concept const const_cast
    constexpr continue decltype default delete do double dynamic_cast else enum explicit export extern false final
    float for friend goto if inline int long mutable namespace new noexcept nullptr operator override private
    protected public reinterpret_cast requires return short signed sizeof static static_assert static_cast struct
    switch template this throw true try typedef typename union unsigned using virtual void volatile while
""".split())


def tokens_of(text):
    """Each token with the positions where it begins and ends."""
    return [(match[0], match.start(), match.end()) for match in TOKEN.finditer(text) if match["blank"] is None]


def is_name(token):
    return NAME.fullmatch(token) is not None and token not in KEYWORDS


@dataclasses.dataclass(frozen=True)
class Symbol:
    """What is defined from the token `begin` to the one before `end`: with its head, such as parameters and
    initializers."""
    name: str
    begin: int
    end: int

    def is_called(self, name):
        """Whether its last parts are these: `Shard::find` is enough for `futon::tables::Shard::find`."""
        return f"::{self.name}".endswith(f"::{name}")


class Source:
    """A file as tokens."""

    def __init__(self, name, text):
        self.name = name
        self.text = text
        found = tokens_of(text)
        self.tokens = [token for token, _, _ in found]
        self.begins = [begin for _, begin, _ in found]
        self.ends = [end for _, _, end in found]
        self.partners = self._pair_brackets()
        self.lines = [0] + [match.end() for match in re.finditer("\n", text)]

    def _pair_brackets(self):
        partners, open_ = {}, []
        for index, token in enumerate(self.tokens):
            if token in OPENING:
                open_.append(index)
            elif token in CLOSING:
                if not open_ or OPENING[self.tokens[open_[-1]]] != token:
                    raise ValueError(f"{self.name}:{self.line_of(index)}: `{token}` closes nothing")
                partners[open_.pop()] = index
        if open_:
            raise ValueError(f"{self.name}:{self.line_of(open_[-1])}: `{self.tokens[open_[-1]]}` is never closed")
        return partners

    def line_of(self, token):
        """The number of the line in which the token stands."""
        begin = self.begins[min(token, len(self.begins) - 1)]
        return self.text.count("\n", 0, begin) + 1

    def line_text(self, token):
        return self.text.splitlines()[self.line_of(token) - 1].strip()

    def after(self, token):
        """The token after this one, or after the brackets that it opens."""
        return self.partners.get(token, token) + 1

    def innermost(self, token):
        """The name of the smallest symbol in which a token stands; empty if there is none."""
        around = [symbol for symbol in self.symbols if symbol.begin <= token < symbol.end]
        return min(around, key=lambda symbol: symbol.end - symbol.begin).name if around else ""

    @functools.cached_property
    def symbols(self):
        found = []
        self._scan(0, len(self.tokens), "", False, found)
        return found

    def _scan(self, begin, end, scope, is_in_function, found):
        """The symbols in these tokens, all of which are of one scope."""
        head = at = begin
        while at < end:
            token = self.tokens[at]
            if token == "#":
                at = head = self._after_directive(at)
                continue
            if token == ";" or token == ":" and self.tokens[at - 1] in ("public", "private", "protected"):
                head = at + 1
            if token == "{":
                kind, name = self._kind_of(head, at, is_in_function)
                if kind == "initializer":
                    at = self.after(at)
                    continue
                full = f"{scope}::{name}".strip(":") if name else scope
                if name:
                    found.append(Symbol(full, head, self.after(at)))
                self._scan(at + 1, self.after(at) - 1, full, kind not in ("class", "namespace"), found)
                head = self.after(at)
            at = self.after(at)

    def _after_directive(self, at):
        """The first token after the directive of the preprocessor that begins here."""
        end = re.compile(r"(?<!\\)\n|\Z").search(self.text, self.begins[at]).start()
        return bisect.bisect_left(self.begins, end)

    def _kind_of(self, head, brace, is_in_function):
        """What the tokens from `head` to the brace define, and its name."""
        outer = list(self._outside_brackets(head, brace))
        words = [self.tokens[at] for at in outer]
        if "namespace" in words:
            return "namespace", "".join(words[words.index("namespace") + 1:])
        for keyword in ("enum", "class", "struct", "union"):
            if keyword in words:
                return "class", self._class_name(words[words.index(keyword) + 1:])
        if is_in_function:
            return "block", ""
        if "operator" not in words and "=" in words:
            return "variable", name_before(words, words.index("="))
        for place, (at, word) in enumerate(zip(outer, words)):
            if word != "(":
                continue
            if "operator" in words[:place]:
                first = words.index("operator")
                if self.tokens[at - 1] == "operator":  # of a call: the parameters come next
                    continue
                return "function", "".join(words[first:place]).replace("(", "()")
            name = name_before(words, place)
            if name:
                colon = ":" in words[place:]
                if colon and (is_name(self.tokens[brace - 1]) or self.tokens[brace - 1] == ">"):
                    return "initializer", ""  # of a member: the body is yet to come
                return "function", name
        return ("variable", name_before(words, len(words))) if words and words[0] != "extern" else ("namespace", "")

    def _outside_brackets(self, begin, end):
        """The tokens that stand in no brackets, opening ones among them, and in no template's head."""
        at = begin
        while at < end:
            if self.tokens[at] == "template":
                at = self._after_angles(at + 1)
                continue
            yield at
            at = self.after(at)

    def _after_angles(self, at):
        depth = 0
        while True:
            depth += {"<": 1, ">": -1}.get(self.tokens[at], 0)
            at = self.after(at)
            if depth <= 0:
                return at

    @staticmethod
    def _class_name(words):
        words = words[1:] if words[:1] in (["class"], ["struct"]) else words  # of `enum class`
        end = next((place for place, word in enumerate(words) if word in (":", "final", "<")), len(words))
        return name_before(words, end)


def name_before(words, end):
    """The name that ends before `end`, with the names before its `::`; arguments of templates are left out."""
    parts = []
    at = end - 1
    while at >= 0:
        if words[at] == ">":
            depth = 0
            while at >= 0:
                depth += {">": 1, "<": -1}.get(words[at], 0)
                at -= 1
                if depth == 0:
                    break
        if at < 0 or not is_name(words[at]):
            break
        is_destructor = at > 0 and words[at - 1] == "~"
        parts.append(("~" if is_destructor else "") + words[at])
        at -= 2 if is_destructor else 1
        if at < 1 or words[at] != "::":
            break
        at -= 1
    return "::".join(reversed(parts))


class Library:
    """All sources below some folders."""

    def __init__(self, root, folders=("include", "src")):
        paths = sorted(path for folder in folders for path in (root / folder).rglob("*.[ch]pp"))
        self.sources = [Source(path.relative_to(root).as_posix(), path.read_text()) for path in paths]

    def find(self, name, room=""):
        """Where a symbol of this name is defined, in a folder or file of this name if one is given. Without a name: all
        of the files there."""
        if not name:
            return [(source, Symbol("", 0, len(source.tokens)))
                    for source in self.sources if is_in_room(source.name, room)]
        return [(source, symbol) for source in self.sources if is_in_room(source.name, room)
                for symbol in source.symbols if symbol.is_called(name)]

    def names(self):
        return {symbol.name for source in self.sources for symbol in source.symbols}


def is_in_room(file, room):
    """Whether the path of a file has the parts of `room` next to each other: `platform/linux`, `loop_core.cpp`."""
    return not room or f"/{room}/" in f"/{pathlib.PurePosixPath(file)}/"
