# SPDX-License-Identifier: MIT
"""Manual pages (`man 3 futon::Semaphore`) of the names that stand in a namespace, from the same comments as the reference."""

import re

import doc_html
import doxygen
from declarations import declaration

# Of the newest release: a page says when what it describes was made, and is the same whenever it is built.
DATE = re.search(r"^## \[[^\]]*\][^\d]*(\d{4}-\d\d-\d\d)", (doxygen.ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
DATE = DATE.group(1) if DATE else "2026-01-01"


def escaped(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.MULTILINE)


def code(text):
    return f".PP\n.in +4n\n.nf\n{escaped(text.rstrip())}\n.fi\n.in\n"


def flat(xml):
    return escaped(" ".join("".join(xml.itertext()).split()))


def paragraph(xml):
    """A paragraph and what is in it: code, tables, lists and facts end the text before them."""
    parts, text = [], xml.text or ""

    def flush():
        if line := " ".join(text.split()):
            parts.append(f".PP\n{escaped(line)}\n")

    for child in xml:
        if child.tag in ("programlisting", "verbatim"):
            flush()
            parts.append(code(doc_html.code_of(child)))
        elif child.tag == "simplesect":
            flush()
            body = " ".join(flat(part) for part in child if part.tag == "para")
            parts.append(f".TP\n.B {child.findtext('title') or ''}\n{body}\n")
        elif child.tag in ("itemizedlist", "orderedlist"):
            flush()
            parts += [f".IP \\(bu 2\n{flat(item)}\n" for item in child]
        elif child.tag == "table":
            flush()
            for row in child:
                cells = [flat(cell) for cell in row]
                parts.append(f".TP\n{cells[0] or chr(92) + '&'}\n{'; '.join(cells[1:]) or chr(92) + '&'}\n")
        else:
            text += "".join(child.itertext()) + (child.tail or "")
            continue
        text = child.tail or ""
    flush()
    return "".join(parts)


def comment(xml):
    return "".join(paragraph(para) for tag in ("briefdescription", "detaileddescription")
                   if xml.find(tag) is not None for para in xml.find(tag) if para.tag == "para")


def members(name):
    parts = []
    for group in doxygen.groups(name.members):
        text = comment(group[0].xml)
        if text:
            parts.append(f".SS {group[0].short}\n{code(chr(10).join(declaration(one) for one in group))}{text}")
            parts += [part for one in group for part in members(one)]
    return parts


def page(group):
    name = group[0]
    brief = name.xml.find("briefdescription")
    full = f"{name.scope}::{name.short}"
    lines = [f'.TH "{full}" 3 "{DATE}" "futon" "futon"\n.SH NAME\n{full} \\- {flat(brief).rstrip(".")}\n',
             f".SH SYNOPSIS\n.nf\n#include <{name.header}>\n\n{escaped(chr(10).join(declaration(one) for one in group))}\n.fi\n",
             f".SH DESCRIPTION\n{comment(name.xml)}"]
    if inner := members(name):
        lines.append(".SH MEMBERS\n" + "".join(inner))
    text = "".join(lines)
    return full, re.sub(r"^(\.S[HS] .*)\n\.PP\n", r"\1\n", text, flags=re.MULTILINE)


def write_all(top, folder):
    """Writes a page for each name with a comment; overloads of one header share it. Returns how many."""
    target = folder / "man3"
    target.mkdir(parents=True, exist_ok=True)
    written = set()
    for group in doxygen.groups([name for name in top if name.kind != "define"]):
        if not group[0].has_comment() or group[0].short.startswith("operator"):
            continue
        full, text = page(group)
        if full not in written:
            written.add(full)
            (target / f"{full}.3").write_text(text, encoding="utf-8")
    return len(written)
