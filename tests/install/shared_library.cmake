# SPDX-License-Identifier: MIT
# Builds the shared library that the other tests install, with a project's settings that hide all they can.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

file(REMOVE_RECURSE ${shared_dir})
run(${CMAKE_COMMAND} -S ${source_dir} -B ${shared_dir} -G ${generator} -DCMAKE_CXX_COMPILER=${compiler}
    -DCMAKE_CXX_COMPILER_LAUNCHER=${launcher} -DFUTON_PLATFORM=${platform} -DCMAKE_BUILD_TYPE=Release
    -DBUILD_SHARED_LIBS=ON -DCMAKE_CXX_VISIBILITY_PRESET=hidden -DCMAKE_VISIBILITY_INLINES_HIDDEN=ON
    -DCMAKE_INSTALL_LIBDIR=lib)
run(${CMAKE_COMMAND} --build ${shared_dir})
