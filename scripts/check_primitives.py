#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that each primitive has the files and lines that CONTRIBUTING.md lists for a new one, and that no other file
of the build has to name it. Checks that futon.hpp includes the headers of all topics for users.

A primitive is a header of include/futon/sync/ that tools/docs/pages.py has under "Primitives": one that no topic names.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools/docs"))
sys.dont_write_bytecode = True
import pages  # noqa: E402

HEADING = "## A new primitive: these files"
UMBRELLA = "futon/futon.hpp"

# Primitives that share a file. An entry that is no longer needed is an error, so the list can only shrink.
SHARED = {
    "tests/model/auto_reset_event_test.cpp": "tests/model/event_test.cpp",
    "tests/model/lazy_test.cpp": "tests/model/once_test.cpp",
    "examples/NN_auto_reset_event.cpp": "examples/24_event_and_latch.cpp",
    "examples/NN_event.cpp": "examples/24_event_and_latch.cpp",
    "examples/NN_latch.cpp": "examples/24_event_and_latch.cpp",
    "examples/NN_lazy.cpp": "examples/26_once_and_lazy.cpp",
    "examples/NN_once.cpp": "examples/26_once_and_lazy.cpp",
}

# Where a second list could stand. Programs and texts about a primitive name it as they like.
BUILD = ("CMakeLists.txt", "CMakePresets.json", "dev", ".ci", "cmake", "packaging", "bindings", "adapters", "scripts",
         "tools")
COMMENT = re.compile(r"(^|\s)(#|//) .*")
NOT_BUILD = {"node_modules", "build", "library", "dist", "prebuilds", "test", "__pycache__"}


def text(path):
    return (ROOT / path).read_text(encoding="utf-8")


def spelled(words, name):
    """A path or a line of the table, for one primitive."""
    return words.replace("NAME", name).replace("Name", class_of(name))


def class_of(name):
    return "".join(word.capitalize() for word in name.split("_"))


def names(words, name):
    return re.search(rf"\b{re.escape(name)}\b", words) is not None


def primitives():
    headers = dict(pages.REFERENCE)["Primitives"]
    return [header.removeprefix("sync/") for header in headers if header.startswith("sync/")]


def table():
    """The rows, as (path, line that is wanted there or None)."""
    _, found, part = text("CONTRIBUTING.md").partition(HEADING + "\n")
    for row in re.findall(r"^\| `([^`]+)` \| (.*) \|$", part.split("\n## ")[0], re.MULTILINE) if found else []:
        wanted = re.match(r"`([^`]+)`", row[1])
        yield row[0], wanted and wanted[1]


def check_own_file(path, name):
    file = spelled(path, name)
    is_there = any(ROOT.glob(file.replace("NN", "[0-9][0-9]")))
    shared = SHARED.get(file)
    if is_there and shared:
        yield f"{file}: is there; take it out of SHARED in scripts/check_primitives.py"
    elif shared and not names(text(shared), class_of(name)):
        yield f"{shared}: does not name {class_of(name)}, which has no {file} of its own"
    elif not is_there and not shared:
        yield f"{file}: is missing; {class_of(name)} needs it"


def check_line(path, wanted, name):
    wanted = spelled(wanted, name)
    there = names(text(path), wanted) if wanted.isidentifier() else wanted in text(path).splitlines()
    if not there:
        yield f"{path}: lacks `{wanted}`"


def anchor_of(heading):
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")


def check_section(path, name):
    """A row of the table, and the part that it links to."""
    document = text(path)
    link = re.compile(rf"^\|.*\[[^\]]*\b{class_of(name)}\b[^\]]*\]\(#")
    rows = [row for row in document.splitlines() if link.match(row)]
    if not rows:
        yield f"{path}: no row of \"Which one\" has [`{class_of(name)}`](#…), a link to the part that describes it"
        return
    anchors = re.findall(r"\]\(#([^)]*)\)", rows[0])
    parts = re.split(r"^## (.*)$", document, flags=re.MULTILINE)
    described = [part for heading, part in zip(parts[1::2], parts[2::2]) if anchor_of(heading) in anchors]
    if not any(names(part, class_of(name)) for part in described):
        yield f"{path}: the part {' or '.join('#' + anchor for anchor in anchors)} does not name {class_of(name)}"


def check(name):
    has_source = (ROOT / f"src/sync/{name}.cpp").exists()
    for path, wanted in table():
        if path.startswith(("src/", "packaging/")) and not has_source:
            continue  # a template alone
        elif "NAME" in path:
            yield from check_own_file(path, name)
        elif wanted:
            yield from check_line(path, wanted, name)
        elif path == "docs/primitives.md":
            yield from check_section(path, name)


def check_no_other_list(found):
    """That no file of the build names a primitive's header or source, but for those of the table."""
    pattern = re.compile(rf"\bsync/({'|'.join(found)})\b")
    in_table = {path for path, _ in table()} | set(SHARED) | {"scripts/check_primitives.py", "scripts/test_guards.py"}
    for place in BUILD:
        for file in [ROOT / place, *(ROOT / place).rglob("*")]:
            path = file.relative_to(ROOT)
            if not file.is_file() or NOT_BUILD & set(path.parts) or str(path) in in_table:
                continue
            for number, line in enumerate(file.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
                if (match := pattern.search(COMMENT.sub("", line))) and "#include" not in line:
                    yield (f"{path}:{number}: names {match[0]}: read it in a list that is there, or add this file to "
                           "the table of CONTRIBUTING.md")


def included(header, seen):
    """A header and all that it includes."""
    if header not in seen and (ROOT / "include" / header).is_file():
        seen.add(header)
        for other in re.findall(r"#include <(futon/[^>]+)>", text(f"include/{header}")):
            included(other, seen)
    return seen


def check_umbrella():
    there = included(UMBRELLA, set())
    for topic, headers in pages.REFERENCE:
        if topic.startswith("For authors"):
            break
        for header in headers:
            if f"futon/{header}.hpp" not in there:
                yield f"include/{UMBRELLA}: lacks `#include <futon/{header}.hpp>`"


def main():
    errors = [] if list(table()) else [f"CONTRIBUTING.md: has no table under \"{HEADING}\""]
    found = primitives()
    for name in found:
        errors += check(name)
    errors += check_no_other_list(found)
    errors += check_umbrella()
    rows = len(list(table()))
    print("\n".join(dict.fromkeys(errors)) or
          f"Primitives: {len(found)} have what CONTRIBUTING.md lists in {rows} rows; futon.hpp has all users' headers")
    return bool(errors)


if __name__ == "__main__":
    sys.exit(main())
