# SPDX-License-Identifier: MIT
"""The weakened orders: each acquire, release and fence of the sources made weaker, but for those that say that no
program of the model needs them."""

import dataclasses
import pathlib
import re

from workshop import ROOT

ADDRESS_WAIT = [f"src/platform/address_wait/{name}" for name in ("futon_platform/mutex.hpp", "mutex.cpp", "parker.cpp")]
FILES = ["src/queue/*.?pp", "src/loop/*.?pp", "src/sync/*.?pp", "src/atomics/*.?pp", "include/futon/*.hpp",
         "include/futon/core/operation/arbiter.hpp", "include/futon/sync/*.hpp", "include/futon/detail/sync/*.hpp", *ADDRESS_WAIT]
WEAKER = [("acquire", "relaxed"), ("release", "relaxed"), ("acq_rel", "acquire"), ("acq_rel", "release")]
# Which tests must notice, of those whose names end in `WeakMemory`; a primitive has its own. A test that is named
# earlier is built earlier, and so is to be the one that notices most.
SUITES = {
    "src/queue/": ["ModelWait", "ModelGrowth", "ModelRequeue", "ModelSelect"],
    "src/loop/": ["ModelEventLoop", "ModelWaitAsync"],
    "src/platform/": ["ModelFutex"],
    "src/sync/word_mutex": ["ModelByteChannel"],
    "include/futon/core/operation/arbiter.hpp": ["ModelSemaphore", "ModelArbiter", "ModelSpinningAsyncLock"],
    "include/futon/detail/sync/async_lock": ["ModelSpinningAsyncLock"],
}


@dataclasses.dataclass(frozen=True)
class WeakenedOrder:
    place: str  # the symbol, and the number of the weakening in it: the same whatever is added elsewhere
    line: str
    what: str
    file: str
    text: str

    @property
    def name(self):
        return f"{self.line} {self.what}"

    @property
    def by(self):
        return tests_of(self.file)


def read_all(library):
    names = {path.relative_to(ROOT).as_posix() for pattern in FILES for path in ROOT.glob(pattern)}
    for source in library.sources:
        if source.name in names:
            yield from weaken(source)


def weaken(source):
    lines = source.text.splitlines(keepends=True)
    seen = {}
    for at, token in enumerate(source.tokens):
        number = source.line_of(at) if token.startswith(("memory_order_", "fence_")) else 0
        if not number or "(not explored)" in lines[number - 1]:
            continue
        for first, last, weaker, what in weaker_than(source, at):
            symbol = source.innermost(at)
            seen[symbol] = seen.get(symbol, 0) + 1
            text = source.text[:source.begins[first]] + weaker + source.text[source.ends[last]:]
            yield WeakenedOrder(f"{symbol} {seen[symbol]}", f"{source.name}:{number}", what, source.name, text)


def weaker_than(source, at):
    """The first and the last token of what may be replaced, by what, and the words for it."""
    token = source.tokens[at]
    for order, weaker in WEAKER:
        if token == f"memory_order_{order}":
            yield at, at, f"memory_order_{weaker}", f"{order} -> {weaker}"
    if source.tokens[at - 2:at + 4] == ["detail", "::", "fence_seq_cst", "(", ")", ";"]:
        yield at - 2, at + 2, "(void)0", "no fence"


def tests_of(file):
    for folder, suites in SUITES.items():
        if file.startswith(folder):
            return ":".join(f"{suite}.*WeakMemory*" for suite in suites)
    stem = pathlib.PurePath(file).stem
    for test in sorted((ROOT / "tests/model").glob("*_test.cpp"), key=lambda path: -len(path.stem)):
        text = test.read_text()
        name = test.stem.removesuffix("_test")
        if stem.startswith(name) or stem.endswith(name) or f"futon/sync/{stem}.hpp>" in text:
            suites = set(re.findall(r"^TEST\((\w+), \w*WeakMemory", text, re.MULTILINE))
            if suites:
                return ":".join(f"{suite}.*WeakMemory*" for suite in sorted(suites))
    return "*WeakMemory*"
