#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the recipes of packaging/ without the tools they are for: each can be parsed, all name one version, that of
include/futon/version.hpp and of the newest release in the changelog, and the list of exported names is sorted.
"""

import ast
import configparser
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PACKAGING = ROOT / "packaging"
MESON = PACKAGING / "meson/subprojects/packagefiles/futon/meson.build"

errors = []


def text(path):
    return (ROOT / path).read_text(encoding="utf-8")


def found(path, pattern):
    """The first group of the pattern's first match in a file."""
    match = re.search(pattern, text(path), re.MULTILINE)
    if match is None:
        errors.append(f"{path}: there is no {pattern}")
        return None
    return match.group(1)


def version_of_header():
    parts = [found("include/futon/version.hpp", rf"#define FUTON_VERSION_{part} (\d+)")
             for part in ("MAJOR", "MINOR", "PATCH")]
    return ".".join(filter(None, parts))


def assigned(path, name):
    """What a Python file assigns to a name in one of its classes."""
    for node in ast.walk(ast.parse(text(path), path)):
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", None) == name:
            return ast.literal_eval(node.value)
    errors.append(f"{path}: there is no {name}")
    return None


def check_versions():
    wrap = configparser.ConfigParser()
    wrap.read(PACKAGING / "meson/subprojects/futon.wrap", encoding="utf-8")
    version = version_of_header()
    named = {
        "CHANGELOG.md": found("CHANGELOG.md", r"^## \[(\d[^\]]*)\]"),
        "bindings/node/package.json": json.loads(text("bindings/node/package.json"))["version"],
        "bindings/web/package.json": json.loads(text("bindings/web/package.json"))["version"],
        "packaging/vcpkg/futon/vcpkg.json": json.loads(text("packaging/vcpkg/futon/vcpkg.json"))["version-semver"],
        "packaging/conan/conanfile.py": assigned("packaging/conan/conanfile.py", "version"),
        str(MESON.relative_to(ROOT)): found(MESON.relative_to(ROOT), r"\bversion: '([^']+)'"),
        "packaging/homebrew/futon.rb": found("packaging/homebrew/futon.rb", r"^  url \".*/futon-([0-9.]+)\.tar\.gz\"$"),
        "packaging/aur/PKGBUILD": found("packaging/aur/PKGBUILD", r"^pkgver=(\S+)$"),
        "futon.wrap, directory": wrap["wrap-file"]["directory"].removeprefix("futon-"),
        "futon.wrap, source_filename": wrap["wrap-file"]["source_filename"].removeprefix("futon-").removesuffix(".tar.gz"),
    }
    for place, other in named.items():
        if other != version:
            errors.append(f"{place}: has version {other}, and include/futon/version.hpp {version}")
    return len(named)


def check_exports():
    names = text("packaging/exports.txt").splitlines()
    if names != sorted(set(names)):
        errors.append("packaging/exports.txt: is not sorted, or has a name twice")
    return len(names)


ast.parse(text("packaging/conan/test_package/conanfile.py"))
versions, exports = check_versions(), check_exports()
for error in errors:
    print(error)
if errors:
    sys.exit(1)
print(f"Packages: {versions} places name one version, {exports} names are exported")
