# SPDX-License-Identifier: MIT
# The shared library exports what packaging/exports.txt lists. Where the change is meant, the list that the test has made
# replaces it, and the commit shows what the ABI got or lost.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

file(MAKE_DIRECTORY ${work_dir})
execute_process(COMMAND ${nm} --dynamic --defined-only --demangle ${shared_dir}/libfuton.so
                OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REGEX REPLACE "(^|\n)[0-9a-f]+ [A-Za-z] " "\\1" symbols "${symbols}")
string(REGEX REPLACE "@@[^\n]*" "" symbols "${symbols}")
string(STRIP "${symbols}" symbols)
string(REPLACE "\n" ";" symbols "${symbols}")
list(SORT symbols)
list(REMOVE_DUPLICATES symbols)
list(JOIN symbols "\n" symbols)
file(WRITE ${work_dir}/exports.txt "${symbols}\n")
file(READ ${source_dir}/packaging/exports.txt expected)
if(NOT expected STREQUAL "${symbols}\n")
    execute_process(COMMAND diff ${source_dir}/packaging/exports.txt ${work_dir}/exports.txt OUTPUT_VARIABLE difference)
    message(FATAL_ERROR "the exported names have changed:\n${difference}If that is meant: "
                        "cp ${work_dir}/exports.txt ${source_dir}/packaging/exports.txt")
endif()
