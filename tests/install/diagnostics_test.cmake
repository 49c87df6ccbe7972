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
run(${work_dir}/build/hangs)
execute_process(COMMAND ${CMAKE_COMMAND} -E env FUTON_DIAGNOSTICS_RESPONSE=abort ${work_dir}/build/hangs --fault
                RESULT_VARIABLE result OUTPUT_QUIET ERROR_VARIABLE said TIMEOUT 60)
if(result EQUAL 0 OR NOT said MATCHES "futon: a deadlock of 2 callers")
    message(FATAL_ERROR "the deadlock is not reported, ${result}: ${said}")
endif()
