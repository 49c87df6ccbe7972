#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds the site and the manual pages: `build_site.py FOLDER` writes FOLDER/site and FOLDER/man.

Pages stand where their sources do in the repository, so a link from one document to another is one from page to page. What a
document links to is on the site, too: other documents, programs as coloured text, folders as lists.
"""

import json
import pathlib
import shutil
import sys
from html import escape

import doxygen
import layout
import man
import module_names
import names
import pages
import reference
import undocumented
from markdown_page import ROOT, Document, page_of


class Site:
    """The pages of the documents, found by following links from those of the menu."""

    def __init__(self, folder, index):
        self.folder, self.index = folder, index
        self.documents, self.texts, self.folders, self.files = {}, set(), set(), set()
        for path in self.roots():
            self.take(path)
        self.frame = layout.Layout(self.menu())

    @staticmethod
    def roots():
        for _, entries in pages.MENU:
            for path, _ in entries:
                if path.endswith("/*"):
                    yield from sorted(str(found.relative_to(ROOT)) for found in (ROOT / path[:-2]).glob("*.md"))
                elif (ROOT / path).exists():
                    yield path
        yield from sorted(str(found.relative_to(ROOT)) for found in (ROOT / "docs").rglob("*.md"))
        yield from sorted(str(found.relative_to(ROOT)) for found in (ROOT / "examples").glob("*.[ch]pp"))

    def take(self, path):
        """Puts a file or folder of the repository on the site, and what it links to."""
        if path in self.documents or path in self.texts | self.folders | self.files:
            return
        whole = ROOT / path
        if whole.is_dir():
            self.folders.add(path)
            for document in whole.glob("*.md"):
                self.take(str(document.relative_to(ROOT)))
        elif path.endswith(".md"):
            self.documents[path] = document = Document(path, self.index)
            for wanted in sorted(document.wanted):
                self.take(wanted)
        elif path.endswith((".svg", ".png", ".html")):
            self.files.add(path)
        else:
            self.texts.add(path)

    def title(self, path):
        return self.documents[path].title if path in self.documents else path

    def menu(self):
        menu, shown = [], set()
        for section, entries in pages.MENU:
            rows = []
            for path, title in entries:
                found = [path]
                if path.endswith("/*"):
                    found = sorted(str(other.relative_to(ROOT)) for other in (ROOT / path[:-2]).glob("*.md"))
                for one in found:
                    if (ROOT / one).exists() and one not in shown:
                        shown.add(one)
                        rows.append((page_of(one), title or self.title(one)))
            menu.append((section, rows))
        for topic, headers in pages.REFERENCE:
            menu.append((f"Reference: {topic}", [(names.page_of(f"futon/{header}.hpp"), header) for header in headers]))
        return menu

    def mentions(self):
        """For each name, the headings of the documents for learners under which it is spoken of, as (place, title)."""
        found = {}
        for path in ("docs/start.md", "docs/guide.md", "docs/primitives.md", "docs/cookbook.md"):
            if (document := self.documents.get(path)) is None:
                continue
            for name, heading, anchor in document.mentions:
                entry = (f"{document.page}#{anchor}", f"{document.title.partition(':')[0]}: {heading}")
                if entry not in found.setdefault(name, []):
                    found[name].append(entry)
        return found

    def write(self, page, text):
        target = self.folder / page
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")

    def write_all(self):
        for document in self.documents.values():
            self.write(document.page, self.frame.page(document.page, document.title, document.body, document.contents))
        for path in sorted(self.texts):
            text = (ROOT / path).read_text(encoding="utf-8")
            language = {".cpp": "cpp", ".hpp": "cpp", ".py": "py", ".txt": "cmake", ".js": "js", ".json": "json"}.get(
                pathlib.Path(path).suffix, "sh" if text.startswith("#!") else "text")
            page = page_of(path)
            body = f'<h1><code>{escape(path)}</code></h1>\n<div class="source">{layout.highlight(text, language)}</div>'
            self.write(page, self.frame.page(page, path, body))
        for path in sorted(self.folders):
            self.write(page_of(path), self.folder_page(path))
        for path in sorted(self.files):
            (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / path, self.folder / path)

    def write_playground(self):
        """The playground is copied as it is, with the modules of the package in its folder."""
        there, package = self.folder / "docs/playground", ROOT / "bindings/web"
        shutil.copytree(ROOT / "docs/playground", there, dirs_exist_ok=True)
        shutil.copytree(package / "src", there / "futon-web/src")
        for name in ("index.js", "index.d.ts"):
            shutil.copyfile(package / name, there / "futon-web" / name)

    def folder_page(self, path):
        """A list of what is in a folder, with what each program says of itself."""
        page, rows = page_of(path), []
        for entry in sorted((ROOT / path).iterdir()):
            name = str(entry.relative_to(ROOT))
            if entry.name.startswith((".", "__pycache__")):
                continue
            label = f"<code>{escape(entry.name)}</code>"
            if name in self.documents or name in self.texts or name in self.folders:
                label = f'<a href="{names.relative(page_of(name), page)}">{label}</a>'
            if name in self.documents and entry.name != "README.md":
                rows.append(f'<tr><td colspan="2"><a href="{names.relative(page_of(name), page)}">{escape(self.title(name))}</a></td></tr>')
                continue
            about = self.title(name) if name in self.documents else purpose(entry) if entry.suffix in (".cpp", ".hpp") else ""
            rows.append(f"<tr><td>{label}</td><td>{escape(about)}</td></tr>")
        table = f'<div class="wide"><table class="list"><tr><th>name</th><th>what it is</th></tr>{"".join(rows)}</table></div>'
        title = {"examples": "Examples", "docs/decisions": "Decisions"}.get(path, path)
        return self.frame.page(page, title, f"<h1>{escape(title)}</h1>\n{table}")


def purpose(source):
    """The first sentence of the comment that begins a program."""
    text = []
    for line in source.read_text(encoding="utf-8").splitlines()[1:]:
        if not line.startswith("//"):
            break
        text.append(line.lstrip("/ ").strip())
    return " ".join(text).strip().partition(". ")[0].rstrip(".") + "." if text else ""


def check_headers(top):
    """Each public header stands under one topic."""
    listed = pages.headers()
    there = {header for folder in doxygen.INCLUDES for header in doxygen.headers(folder)}
    for header in sorted(there):
        if listed.count(header) != 1:
            yield f"tools/docs/pages.py: {header} stands under {listed.count(header)} topics, not under one"
    yield from undocumented.undocumented(top)


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    for old in ("site", "man"):
        shutil.rmtree(folder / old, ignore_errors=True)
    top = doxygen.read(doxygen.run(folder / "doxygen"))
    wrong = [*check_headers(top), *module_names.differences(top)]
    if wrong:
        print("\n".join(wrong), file=sys.stderr)
        return 1

    index = names.Index([name for name in top if "<" not in name.name])
    site = Site(folder / "site", index)
    site.write_all()
    site.write_playground()
    for page, text in reference.Reference(top, index, site.frame, site.mentions()).pages():
        site.write(page, text)
    style = (pathlib.Path(__file__).parent / "style.css").read_text(encoding="utf-8")
    site.write("style.css", style + layout.style_of_code())
    site.write("search.js", (pathlib.Path(__file__).parent / "search.js").read_text(encoding="utf-8"))
    site.write("names.js", f"const futonNames = {json.dumps(index.list(), indent=0)};\n")
    pages_of_man = man.write_all([name for name in top if "<" not in name.name], folder / "man")
    print(f"{len(site.documents)} documents, {len(pages.headers())} headers, {pages_of_man} manual pages: file://{folder}/site/index.html")
    return 0


if __name__ == "__main__":
    sys.exit(main())
