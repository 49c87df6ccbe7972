# SPDX-License-Identifier: MIT
"""The Conan recipe of the sources it lies in: conan create packaging/conan"""

import os

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy


class FutonRecipe(ConanFile):
    name = "futon"
    version = "0.1.0"
    description = "Wait on a word of memory, blocking or not, in one wait queue; and a lock for threads and event loops"
    license = "MIT"
    topics = ("futex", "atomics", "coroutines", "lock", "event-loop")
    package_type = "library"
    settings = "os", "compiler", "build_type", "arch"
    options = {"shared": [True, False], "platform": ["linux", "windows", "generic"]}
    default_options = {"shared": False, "platform": "linux"}

    def config_options(self):
        if self.settings.os != "Linux":
            self.options.platform = "windows" if self.settings.os == "Windows" else "generic"

    def validate(self):
        check_min_cppstd(self, 20)

    def export_sources(self):
        root = os.path.join(self.recipe_folder, "..", "..")
        for pattern in ("CMakeLists.txt", "LICENSE", "cmake/*", "include/*", "modules/*", "packaging/*.in", "src/*", "tools/gdb/*"):
            copy(self, pattern, src=root, dst=self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["FUTON_PLATFORM"] = str(self.options.platform)
        toolchain.cache_variables["FUTON_INSTALL"] = True
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", src=self.source_folder, dst=os.path.join(self.package_folder, "licenses"))
        CMake(self).install()

    def package_info(self):
        self.cpp_info.libs = ["futon"]
        if not self.options.shared:
            self.cpp_info.defines = ["FUTON_STATIC"]
        self.cpp_info.set_property("cmake_file_name", "futon")
        self.cpp_info.set_property("cmake_target_name", "futon::futon")
        self.cpp_info.set_property("pkg_config_name", "futon")
        if self.settings.os in ("Linux", "FreeBSD"):
            self.cpp_info.system_libs = ["pthread"]
        elif self.options.platform == "windows":
            self.cpp_info.system_libs = ["synchronization"]
