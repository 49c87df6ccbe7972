# SPDX-License-Identifier: MIT
"""Runs Doxygen over the public headers, and reads its XML: classes, their members, functions and concepts, each with its place."""

import dataclasses
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree as ET

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
# The folders that programs include from: the library's, and those of the adapters.
INCLUDES = [ROOT / "include", *sorted(path for path in (ROOT / "adapters").glob("*") if (path / "futon").is_dir())]


@dataclasses.dataclass
class Name:
    """A public name: a class, function, variable, enumeration, alias, macro or concept."""

    kind: str
    name: str  # without namespaces, but with the classes it is in: Semaphore::acquire
    scope: str  # the namespace, and the classes: futon::Semaphore
    header: str  # futon/sync/semaphore.hpp
    line: int
    xml: ET.Element
    members: list = dataclasses.field(default_factory=list)  # of a class, by line
    access: str = "public"

    @property
    def short(self):
        return self.name.rpartition("::")[2]

    @property
    def anchor(self):
        name = self.name.replace("::", ".").replace(" ", "")
        return "".join(c if c.isalnum() or c in "._" else f"-{ord(c):x}" for c in name)

    def has_comment(self):
        return any("".join(part.itertext()).strip() for tag in ("briefdescription", "detaileddescription")
                   if (part := self.xml.find(tag)) is not None)


def run(folder):
    """Returns the folder of the XML. What Doxygen complains of goes to the standard error."""
    folder.mkdir(parents=True, exist_ok=True)
    settings = (HERE / "Doxyfile").read_text(encoding="utf-8") + f"""
INPUT = {' '.join(str(path / 'futon') for path in INCLUDES)}
EXCLUDE = {' '.join(str(path) for include in INCLUDES for path in (include / 'futon/detail').glob('*') if path.name != 'sync')}
EXCLUDE_PATTERNS = *_misuse.hpp
INPUT_FILTER = "{sys.executable} {HERE / 'doxygen_filter.py'}"
OUTPUT_DIRECTORY = {folder}
STRIP_FROM_PATH = {' '.join(map(str, INCLUDES))}
"""
    done = subprocess.run(["doxygen", "-"], input=settings, text=True, capture_output=True, check=False)
    # What this version of Doxygen does not understand: a specialization that derives from its primary template, a deduction of a
    # nested class outside its own, and specializations of what is in `detail`, which it does not read.
    known = ("recursive class relation", "of class 'Guarded::Access' cannot be found", "futon::detail::")
    complaints = [line for line in done.stderr.splitlines() if line and not any(text in line for text in known)]
    if done.returncode != 0 or complaints:
        print("\n".join(complaints) or done.stderr, file=sys.stderr)
        sys.exit(1)
    return folder / "xml"


def place_of(xml):
    location = xml.find("location")
    return location.get("file"), int(location.get("line"))


_namespaces = []  # the innermost first


def namespace_of(name):
    return next((namespace for namespace in _namespaces if name.startswith(namespace + "::")), "")


def without_namespace(name):
    namespace = namespace_of(name)
    return name[len(namespace) + 2:] if namespace else name


def member(xml, scope):
    header, line = place_of(xml)
    kind = xml.get("kind")
    short = xml.findtext("name")
    prefix = without_namespace(scope + "::") if scope else ""
    return Name(kind, prefix + short, scope, header, line, xml, access=xml.get("prot", "public"))


def is_public(name):
    # A primitive's long members are in detail/sync/, and are its members all the same.
    is_hidden = "/detail/" in name.header and "/detail/sync/" not in name.header
    return name.access != "private" and not {"detail", "internal"} & set(name.scope.split("::")) and not is_hidden


def is_declared_private(entry, outer):
    """Whether a class that is defined outside of its own is declared in a private part there: Doxygen takes it for public."""
    label = "private"  # as in each class, to begin with
    for line in path_of(outer.header).read_text(encoding="utf-8").splitlines()[outer.line - 1:]:
        label = found[1] if (found := re.match(r"(public|protected|private):", line)) else label
        if re.fullmatch(rf"\s+(class|struct) {entry.short};", line):
            return label == "private"
        if line == "};":
            break
    return False


def read(folder):
    """All public names that stand in a namespace, with the members of classes; the nested classes are members, too."""
    top, classes = [], {}
    for path in folder.glob("namespacefuton*.xml"):
        _namespaces.append(ET.parse(path).getroot().find("compounddef").findtext("compoundname"))
    _namespaces.sort(key=len, reverse=True)
    for path in sorted(folder.glob("*.xml")):
        if not path.name.startswith(("class", "struct", "union", "namespacefuton", "concept")) and not path.name.endswith("_8hpp.xml"):
            continue
        compound = ET.parse(path).getroot().find("compounddef")
        full = compound.findtext("compoundname")
        if compound.get("kind") == "file":
            for xml in compound.iter("memberdef"):
                if xml.get("kind") == "define":
                    top.append(member(xml, ""))
            continue
        members = [member(xml, full) for xml in compound.iter("memberdef")]
        members = [name for name in members if is_public(name)]
        if compound.get("kind") == "namespace":
            top += members
            continue
        header, line = place_of(compound)
        entry = Name(compound.get("kind"), without_namespace(full), full.rpartition("::")[0], header, line, compound,
                     members, compound.get("prot", "public"))
        if is_public(entry):
            classes[full] = entry
    for full, entry in classes.items():
        outer = classes.get(entry.scope)
        if outer is not None and not is_declared_private(entry, outer):
            outer.members.append(entry)
        elif namespace_of(full) == entry.scope:
            top.append(entry)
    for entry in classes.values():
        entry.members.sort(key=lambda name: (name.header, name.line))
    top = [name for name in top if is_public(name)]
    return sorted(top, key=lambda name: (name.header, name.line))


def headers(folder):
    """The public headers of a folder, with the parts of primitives in detail/sync/."""
    found = (path.relative_to(folder) for path in sorted((folder / "futon").rglob("*.hpp")))
    return [str(path) for path in found if "detail" not in path.parts
            or "detail/sync" in path.as_posix() and not path.stem.endswith("_misuse")]


def groups(names):
    """Names in the groups that share a comment: what follows a declaration without an empty line and without a comment of its own, and
    overloads of one name."""
    found = []
    for name in names:
        if found and name.xml.tag == "memberdef" and not name.has_comment() and found[-1][-1].header == name.header:
            lines = source_of(name.header)[found[-1][-1].line:name.line - 1]
            is_overload = name.kind == "function" and name.name == found[-1][-1].name
            if is_overload or not any(not line.strip() or line.strip().startswith("///") for line in lines):
                found[-1].append(name)
                continue
        found.append([name])
    return found


def path_of(header):
    return next(folder / header for folder in INCLUDES if (folder / header).exists())


_sources = {}


def source_of(header):
    if header not in _sources:
        _sources[header] = path_of(header).read_text(encoding="utf-8").splitlines()
    return _sources[header]
