# SPDX-License-Identifier: MIT
# Builds the library for size, installs it, builds programs with the package, runs one, and looks how big it is.
include(${source_dir}/tests/install/run.cmake)

file(REMOVE_RECURSE ${work_dir})
set(arguments -G ${generator} -D CMAKE_TOOLCHAIN_FILE=${toolchain} -D CMAKE_BUILD_TYPE=Release
    "-DCMAKE_CXX_FLAGS_RELEASE=-Os -flto -fno-rtti -DNDEBUG")
run(${CMAKE_COMMAND} -S ${source_dir} -B ${work_dir}/library ${arguments} -D FUTON_DEVELOP=OFF -D FUTON_ADAPTERS=
    -D CMAKE_INSTALL_PREFIX=${work_dir}/prefix)
run(${CMAKE_COMMAND} --build ${work_dir}/library --target install)
run(${CMAKE_COMMAND} -S ${source_dir}/tests/web/installed -B ${work_dir}/programs ${arguments} -D source_dir=${source_dir}
    -D futon_DIR=${work_dir}/prefix/lib/cmake/futon)
run(${CMAKE_COMMAND} --build ${work_dir}/programs)
execute_process(COMMAND ${emulator} ${work_dir}/programs/program.js TIMEOUT 60 OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
if(NOT output MATCHES "2000 steps in all")
    message(FATAL_ERROR "The program printed:\n${output}")
endif()
run(node ${source_dir}/tests/web/installed/size.js ${work_dir}/programs/empty.wasm ${work_dir}/programs/program.wasm 27000)
