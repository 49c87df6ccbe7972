# SPDX-License-Identifier: MIT
# Run by ctest; see CMakeLists.txt for the variables. The commands as they are installed, loaded by the script that gdb finds
# under the name of a shared library.

set(prefix ${work_dir}/prefix)
set(auto_load ${prefix}/${datadir}/gdb/auto-load/${prefix}/lib/libfuton.so-gdb.py)
file(REMOVE_RECURSE ${work_dir})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${build_dir} --prefix ${prefix} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
configure_file(${source_dir}/tools/gdb/auto-load.py ${auto_load} COPYONLY)

set(ENV{FUTON_GDB_SCRIPT} ${auto_load})
execute_process(COMMAND ${gdb} -nx -batch -iex "set debuginfod enabled off" -x ${CMAKE_CURRENT_LIST_DIR}/check.py ${program}
                RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
message("${output}")
if(NOT result EQUAL 0 AND NOT output MATCHES "\nskipped: ")
    message(FATAL_ERROR "gdb ended with ${result}")
endif()
