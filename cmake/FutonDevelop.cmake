# SPDX-License-Identifier: MIT
# How futon's own targets are compiled, as opposed to its users' targets.

if(FUTON_DEVELOP)
    set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
    find_program(FUTON_CCACHE ccache)
    if(FUTON_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
        set(CMAKE_CXX_COMPILER_LAUNCHER ${FUTON_CCACHE})
        add_compile_options($<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)  # so that it sees what precompiled headers are used
    endif()
endif()

# If a system runs only 64-bit programs, QEMU runs the 32-bit ones, for i386.
if(FUTON_DEVELOP AND CMAKE_SIZEOF_VOID_P EQUAL 4 AND NOT CMAKE_CROSSCOMPILING)
    file(WRITE ${CMAKE_BINARY_DIR}/runs/main.cpp "int main() {}\n")
    try_run(FUTON_RUNS_ITS_PROGRAMS FUTON_COMPILES_ITS_PROGRAMS ${CMAKE_BINARY_DIR}/runs ${CMAKE_BINARY_DIR}/runs/main.cpp)
    if(NOT FUTON_RUNS_ITS_PROGRAMS EQUAL 0)
        find_program(FUTON_QEMU_I386 qemu-i386 REQUIRED)
        set(CMAKE_CROSSCOMPILING_EMULATOR ${FUTON_QEMU_I386})
    endif()
endif()

# What `./dev test` builds and runs unless it is asked for all: this target, and the tests with the label `quick`.
add_custom_target(quick)
function(futon_quick)
    add_dependencies(quick ${ARGN})
endfunction()

# Headers that are compiled once for all programs of a folder, which are compiled alike; nothing if FUTON_PRECOMPILE is off.
function(futon_precompiled_headers name)
    if(NOT FUTON_PRECOMPILE)
        return()
    endif()
    file(CONFIGURE OUTPUT ${name}.cpp CONTENT "// A precompiled header belongs to a program.\n")
    add_library(${name} OBJECT ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
    target_precompile_headers(${name} PRIVATE ${ARGN})
    target_link_libraries(${name} PRIVATE futon::futon)
    futon_test_options(${name})
endfunction()
function(futon_precompile target headers)
    if(TARGET ${headers})
        target_precompile_headers(${target} REUSE_FROM ${headers})
    endif()
endfunction()

if(FUTON_SANITIZE)
    add_compile_options(-fsanitize=${FUTON_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    add_link_options(-fsanitize=${FUTON_SANITIZE})
endif()

function(futon_develop_options target)
    if(FUTON_DEVELOP)
        target_compile_options(${target} PRIVATE
            -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wold-style-cast
            $<$<BOOL:${FUTON_WERROR}>:-Werror>
            # The thread sanitizer does not model fences; ours carry no data, only the order of loads.
            # What a sanitizer inserts, and what -O3 inlines, lets gcc 12 take members of std::stop_source and of an empty
            # std::optional for uninitialized.
            $<$<CXX_COMPILER_ID:GNU>:-Wno-tsan -Wno-maybe-uninitialized>)
        set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
    endif()
endfunction()

# Tests make references and calls by the thousand. Checks of each of them double the time of compiling under a sanitizer, and
# say nothing that the library, which has them all, does not.
function(futon_test_options target)
    futon_develop_options(${target})
    if(FUTON_SANITIZE MATCHES "undefined")
        target_compile_options(${target} PRIVATE -fno-sanitize=null,vptr,alignment,object-size)
    endif()
endfunction()

# Compiles a program of tests in units of several files, for what they include takes longer to compile than they do. Files
# of one folder therefore share the unnamed namespace: a local name may be a global one of another file. GCC warns of what
# stands in an unnamed namespace in any file but the main one, and gcc 12 takes an empty vector's elements for used.
function(futon_unity_tests target)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 16)
    target_compile_options(${target} PRIVATE -Wno-shadow)
    if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
        target_compile_options(${target} PRIVATE -Wno-subobject-linkage -Wno-array-bounds)
    endif()
endfunction()
