# SPDX-License-Identifier: MIT
# What the tests of this folder share.
cmake_minimum_required(VERSION 3.22)

# run(COMMAND ...): shows the output if it fails.
function(run)
    execute_process(COMMAND ${ARGV} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(NOT result EQUAL 0)
        list(JOIN ARGV " " command)
        message(FATAL_ERROR "${command}\n${output}")
    endif()
endfunction()

# installed_files(RESULT FOLDER): the files in a folder, relative to it.
function(installed_files result folder)
    file(GLOB_RECURSE files RELATIVE ${folder} ${folder}/*)
    set(${result} ${files} PARENT_SCOPE)
endfunction()
