# SPDX-License-Identifier: MIT
# Each adapter is a component of the installed package; one that does not exist is refused by name.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

set(prefix ${work_dir}/prefix)
set(consumer ${CMAKE_CURRENT_LIST_DIR}/adapters)
file(REMOVE_RECURSE ${work_dir})
run(${CMAKE_COMMAND} --install ${shared_dir} --prefix ${prefix})

set(configure ${CMAKE_COMMAND} -S ${consumer} -G ${generator} -DCMAKE_CXX_COMPILER=${compiler}
    -DCMAKE_CXX_COMPILER_LAUNCHER=${launcher} -DCMAKE_PREFIX_PATH=${prefix})
execute_process(COMMAND ${configure} -B ${work_dir}/missing -DMISSING=nosuch
                RESULT_VARIABLE result OUTPUT_QUIET ERROR_VARIABLE error)
string(REGEX REPLACE "[ \n]+" " " error "${error}")
if(result EQUAL 0 OR NOT error MATCHES "futon has no component nosuch; it has: asio diagnostics glib qt uv")
    message(FATAL_ERROR "a component that does not exist is not refused by name: ${error}")
endif()

run(${configure} -B ${work_dir}/build)
run(${CMAKE_COMMAND} --build ${work_dir}/build)
run(${CMAKE_COMMAND} -E chdir ${work_dir}/build ${CMAKE_CTEST_COMMAND} --output-on-failure --timeout 60)

# futon.pc is enough for the adapters' headers: a program names the other library's package beside it.
find_program(pkg_config pkg-config)
if(pkg_config AND EXISTS ${work_dir}/build/with_uv)
    file(GLOB_RECURSE pc_file ${prefix}/*/futon.pc)
    get_filename_component(pc_dir ${pc_file} DIRECTORY)
    get_filename_component(library_dir ${pc_dir} DIRECTORY)
    execute_process(COMMAND ${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${pc_dir}:$ENV{PKG_CONFIG_PATH}
                            ${pkg_config} --cflags --libs futon libuv
                    RESULT_VARIABLE result OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(result EQUAL 0)  # a libuv that CMake finds need not have a file of pkg-config's
        separate_arguments(flags)
        run(${compiler} -std=c++20 ${consumer}/with_uv.cpp ${flags} -Wl,-rpath,${library_dir} -o ${work_dir}/by_pkg_config)
        run(${work_dir}/by_pkg_config)
    endif()
endif()
