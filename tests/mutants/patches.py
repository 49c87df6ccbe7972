# SPDX-License-Identifier: MIT
"""A patch that finds its place by what stands there: in a symbol, where the tokens of a pattern are. White space, line
breaks and comments do not matter, and a symbol may move to another file.

    $name   any name, of a local variable for instance; the same one wherever the patch says `$name`
    ...     any tokens, as few as it takes, whose brackets are balanced

Lines of a patch that begin with `-` are taken away, those with `+` are put in, and all others stay.
"""

import dataclasses
import difflib

import sources

WIDTH = 100  # of what is quoted of a source


class DoesNotApply(Exception):
    """A patch has no place, or more than one. The message says what it wants, and what stands there."""


@dataclasses.dataclass(frozen=True)
class Item:
    """A token of a pattern, `$name` or `...`."""
    token: str
    is_removed: bool

    @property
    def is_run(self):
        return self.token == "..."

    @property
    def is_variable(self):
        return self.token.startswith("$")

    def fits(self, token, bound):
        """Whether it stands for the token, if its variables are bound so. Binds what it names."""
        if not self.is_variable:
            return token == self.token
        return sources.is_name(token) and bound.setdefault(self.token, token) == token


@dataclasses.dataclass(frozen=True)
class Insertion:
    """Text that is put in before the item of this index."""
    index: int
    text: str


@dataclasses.dataclass(frozen=True)
class Match:
    spans: tuple  # of each item its first token, and the one after its last
    bound: dict


class Patch:
    def __init__(self, symbol, room, lines):
        """The lines begin with `-`, `+` or a blank."""
        self.symbol = symbol
        self.room = room
        self.wanted = []  # the lines that are to stand there
        self.items = []
        self.insertions = []
        for line in lines:
            mark, code = line[:1], line[1:].strip()
            if mark == "+":
                self.insertions.append(Insertion(len(self.items), code))
            else:
                self.wanted.append(code)
                self.items += [Item(token, mark == "-") for token, _, _ in sources.tokens_of(code)]
        self._require_sense()

    def _require_sense(self):
        kept = [item for item in self.items if not item.is_run]
        known = {item.token for item in kept if item.is_variable}
        unknown = [token for insertion in self.insertions for token, _, _ in sources.tokens_of(insertion.text)
                   if token.startswith("$") and token not in known]
        if not self.insertions and not any(item.is_removed for item in self.items):
            raise ValueError("nothing is changed")
        if not kept or self.items[0].is_run or self.items[-1].is_run:
            raise ValueError("a pattern begins and ends with what stands there, not with `...`")
        if unknown:
            raise ValueError(f"{unknown[0]} is put in, but not matched")

    @property
    def place(self):
        return " of ".join(part for part in (self.symbol, self.room) if part)

    def find(self, library):
        """The source where it applies, and what matches there."""
        scopes = library.find(self.symbol, self.room)
        found = {(source.name, match.spans): (source, match)
                 for source, symbol in scopes for match in self.matches(source, symbol.begin, symbol.end)}
        if len(found) != 1:
            raise DoesNotApply(self._why_not(library, scopes, list(found.values())))
        return next(iter(found.values()))

    def apply(self, library):
        """The name of the file that it changes, and its new text."""
        source, match = self.find(library)
        text = source.text
        for begin, end, new in reversed(list(self._edits(source, match))):
            text = text[:begin] + new + text[end:]
        return source.name, text

    def matches(self, source, begin, end):
        for at in range(begin, end):
            spans, bound = self._match(source, at, end, 0, {})
            if len(spans) == len(self.items):
                yield Match(tuple(spans), bound)

    def _match(self, source, at, end, index, bound):
        """The spans of the items from `index` on, of as many as fit here; and what the variables are bound to."""
        spans = []
        for item in self.items[index:]:
            if item.is_run:
                rest, bound = self._match_run(source, at, end, index + len(spans), bound)
                return spans + rest, bound
            if at >= end or not item.fits(source.tokens[at], bound):
                break
            spans.append((at, at + 1))
            at += 1
        return spans, bound

    def _match_run(self, source, begin, end, index, bound):
        """The same where the first item is a run, which takes as few tokens as let all that follows fit."""
        best = [], bound
        at = begin
        while True:
            rest, rest_bound = self._match(source, at, end, index + 1, dict(bound))
            if rest and len(rest) >= len(best[0]):
                best = [(begin, at), *rest], rest_bound
            is_complete = index + len(best[0]) == len(self.items)
            if is_complete or at >= end or source.tokens[at] in sources.CLOSING:
                return best
            at = source.after(at)

    def _edits(self, source, match):
        """Which characters are replaced, and by what. What is taken away and what is put in next to it are one edit."""
        insertions = {}
        for insertion in self.insertions:
            insertions.setdefault(insertion.index, []).append(self._filled_in(insertion.text, match.bound))
        index, count = 0, len(self.items)
        while index <= count:
            new = insertions.get(index, [])[:]
            first = index
            while index < count and self.items[index].is_removed:
                index += 1
                new += insertions.get(index, [])
            removed = [span for span in match.spans[first:index] if span[0] != span[1]]
            text = "\n".join(new)
            if removed:
                yield source.begins[removed[0][0]], source.ends[removed[-1][1] - 1], text
            elif new and first > 0:
                end = source.ends[match.spans[first - 1][1] - 1]
                yield end, end, f" {text} "
            elif new:
                begin = source.begins[match.spans[first][0]]
                yield begin, begin, f" {text} "
            index += 1

    @staticmethod
    def _filled_in(text, bound):
        for token, begin, end in reversed(sources.tokens_of(text)):
            text = text[:begin] + bound.get(token, token) + text[end:]
        return text

    # What is said of a patch that does not apply.

    def _why_not(self, library, scopes, found):
        if not scopes:
            return self._no_symbol(library)
        wants = f"it wants, in {self.place}:\n{self._listing()}"
        if found:
            places = "".join(f"    {quote(source, match.spans[0][0])}\n" for source, match in found)
            return f"{wants}which stands there {len(found)} times, not once:\n{places}"
        return f"{wants}which does not stand there.\n{self._elsewhere(library)}{self._nearest(scopes)}"

    def _no_symbol(self, library):
        last = self.symbol.split("::")[-1]
        names = library.names()
        near = sorted(name for name in names if name.split("::")[-1] == last)[:5] or difflib.get_close_matches(
            self.symbol, names, 3, 0.5)
        where = f"it wants {self.place}, but nothing is called so"
        return (f"{where}; near: {', '.join(near)}\n" if near else f"{where}.\n") + (
            f"and in it:\n{self._listing()}{self._elsewhere(library)}")

    def _listing(self):
        return "".join(f"    {line}\n" for line in self.wanted)

    def _elsewhere(self, library):
        """Where its pattern stands in other symbols; empty if it is too short to mean anything there."""
        found = [(source, match) for source in library.sources for match in self.matches(source, 0, len(source.tokens))]
        if not 0 < len(found) <= 3:
            return ""
        return "It stands elsewhere:\n" + "".join(f"    {quote(s, m.spans[0][0], s.innermost(m.spans[0][0]))}\n"
                                                  for s, m in found)

    def _nearest(self, scopes):
        """The place that is most like the pattern, and the first token there that differs."""
        wanted = [item.token for item in self.items if not item.is_run]
        best = None
        for source, symbol in scopes:
            for at in range(symbol.begin, symbol.end):
                spans, _ = self._match(source, at, symbol.end, 0, {})
                stands = source.tokens[at:min(at + len(wanted), symbol.end)]
                alike = difflib.SequenceMatcher(None, wanted, stands, False).ratio() if spans else 0
                score = len(spans) / len(self.items) + alike
                if best is None or score > best[0]:
                    best = score, source, at, spans
        _, source, at, spans = best
        if not spans:
            return f"It begins at {quote(source, at)}\n"
        differs = min(spans[-1][1], len(source.tokens) - 1)
        return (f"Most like it: {quote(source, at)}\n"
                f"    where `{self.items[len(spans)].token}` is wanted, but there is "
                f"`{source.tokens[differs]}` in line {source.line_of(differs)}\n")


def quote(source, token, name=""):
    text = source.line_text(token)
    return f"{source.name}:{source.line_of(token)}: {f'{name}: ' if name else ''}{text[:WIDTH]}"
