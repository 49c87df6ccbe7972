#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the recipe of packaging/conan as Conan would, as far as that can be done without it: what the recipe imports from
Conan is replaced by what these classes do with CMake. Usage: conan_recipe.py WORK_FOLDER; the package is in its `package`.
"""

import pathlib
import runpy
import shutil
import subprocess
import sys
import types

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WORK = pathlib.Path(sys.argv[1]).resolve()


def run(*command):
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{result.stdout}{result.stderr}")


class ConanFile:
    """The part of Conan's class that the recipe uses."""

    def __init__(self):
        self.recipe_folder = str(ROOT / "packaging" / "conan")
        self.export_sources_folder = self.source_folder = str(WORK / "source")
        self.package_folder = str(WORK / "package")
        self.settings = types.SimpleNamespace(os="Linux", build_type="Release")
        self.options = types.SimpleNamespace(**self.default_options)
        self.cpp_info = types.SimpleNamespace(properties={})
        self.cpp_info.set_property = self.cpp_info.properties.__setitem__


class CMakeToolchain:
    def __init__(self, recipe):
        self.recipe, self.cache_variables = recipe, {}

    def generate(self):
        self.recipe.cache_variables = self.cache_variables


class CMake:
    def __init__(self, recipe):
        self.recipe = recipe

    def configure(self):
        variables = [f"-D{name}={value}" for name, value in self.recipe.cache_variables.items()]
        run("cmake", "-S", self.recipe.source_folder, "-B", WORK / "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
            *variables)

    def build(self):
        run("cmake", "--build", WORK / "build")

    def install(self):
        run("cmake", "--install", WORK / "build", "--prefix", self.recipe.package_folder)


def copy(_, pattern, src, dst):
    """Copies files whose path fits; an asterisk stands for slashes too, as Conan has it."""
    copied = [path for path in pathlib.Path(src).glob(pattern.replace("/*", "/**/*")) if path.is_file()]
    if not copied:
        sys.exit(f"the recipe copies {pattern}, and there is none")
    for path in copied:
        to = pathlib.Path(dst) / path.relative_to(src)
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, to)


def module(name, **contents):
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__dict__.update(contents)


module("conan", ConanFile=ConanFile)
module("conan.tools")
module("conan.tools.build", check_min_cppstd=lambda recipe, standard: None, can_run=lambda recipe: True)
module("conan.tools.cmake", CMake=CMake, CMakeToolchain=CMakeToolchain, cmake_layout=lambda recipe: None)
module("conan.tools.files", copy=copy)

recipe = runpy.run_path(str(ROOT / "packaging" / "conan" / "conanfile.py"))["FutonRecipe"]()
for step in ("config_options", "validate", "export_sources", "layout", "generate", "build", "package", "package_info"):
    getattr(recipe, step)()

package = pathlib.Path(recipe.package_folder)
for file in ["licenses/LICENSE", "include/futon/futon.hpp"]:
    if not (package / file).is_file():
        sys.exit(f"the package has no {file}")
for library in recipe.cpp_info.libs:
    if not list(package.glob(f"lib*/lib{library}.a")):
        sys.exit(f"the package has no library {library}")
if recipe.cpp_info.properties["cmake_target_name"] != "futon::futon":
    sys.exit("the package's target has another name")
runpy.run_path(str(ROOT / "packaging" / "conan" / "test_package" / "conanfile.py"))
