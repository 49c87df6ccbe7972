# SPDX-License-Identifier: MIT
# futon::diagnostics is a component of the installed package: a program that is linked with it reports its deadlock.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

set(prefix ${work_dir}/prefix)
file(REMOVE_RECURSE ${work_dir})
run(${CMAKE_COMMAND} --install ${shared_dir} --prefix ${prefix})
run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/diagnostics -B ${work_dir}/build -G ${generator} -DCMAKE_CXX_COMPILER=${compiler}
    -DCMAKE_CXX_COMPILER_LAUNCHER=${launcher} -DCMAKE_PREFIX_PATH=${prefix}
    -DPROGRAM=${source_dir}/examples/47_my_program_hangs.cpp)
run(${CMAKE_COMMAND} --build ${work_dir}/build)

function(require_report program)
    run(${program})
    execute_process(COMMAND ${CMAKE_COMMAND} -E env FUTON_DIAGNOSTICS_RESPONSE=abort ${program} --fault
                    RESULT_VARIABLE result OUTPUT_QUIET ERROR_VARIABLE said TIMEOUT 60)
    if(result EQUAL 0 OR NOT said MATCHES "futon: a deadlock of 2 callers")
        message(FATAL_ERROR "${program} does not report the deadlock, ${result}: ${said}")
    endif()
endfunction()
require_report(${work_dir}/build/hangs)

find_program(pkg_config pkg-config)
if(pkg_config)
    file(GLOB_RECURSE pc_file ${prefix}/*/futon_diagnostics.pc)
    get_filename_component(pc_dir ${pc_file} DIRECTORY)
    execute_process(COMMAND ${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${pc_dir}
                            ${pkg_config} --cflags --libs futon_diagnostics
                    OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    separate_arguments(flags)
    run(${compiler} -std=c++20 ${source_dir}/examples/47_my_program_hangs.cpp ${flags} -o ${work_dir}/by_pkg_config)
    require_report(${work_dir}/by_pkg_config)
endif()
